import { reject } from './errors.ts'

/** An object from the wire, with unchecked members. */
export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function optionalText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') reject(100, `${name} must be a string`)
  return value
}

/** The members of an object of a request; errors name each by its path. */
export class ObjectReader {
  /** Empty for the body itself. */
  readonly path: string
  readonly #object: JsonObject

  constructor(value: unknown, path: string) {
    if (value === undefined || value === null) reject(131008, `${path} is required`)
    if (!isObject(value)) reject(100, `${path} must be an object`)
    this.#object = value
    this.path = path
  }

  get(name: string): unknown {
    return this.#object[name]
  }

  object(name: string): ObjectReader {
    return new ObjectReader(this.#object[name], this.#pathOf(name))
  }

  findObject(name: string): ObjectReader | undefined {
    return this.#object[name] === undefined ? undefined : this.object(name)
  }

  text(name: string, maxCharacters?: number): string {
    const text = this.findText(name, maxCharacters)
    if (text === undefined) reject(131008, `${this.#pathOf(name)} is required`)
    if (text === '') reject(131008, `${this.#pathOf(name)} must not be empty`)
    return text
  }

  findText(name: string, maxCharacters = Number.POSITIVE_INFINITY): string | undefined {
    const path = this.#pathOf(name)
    const text = optionalText(this.#object[name], path)
    if (characters(text ?? '') > maxCharacters) reject(131009, `${path} has at most ${maxCharacters} characters`)
    return text
  }

  /** Each object of a list, which may be missing. */
  findList(name: string): ObjectReader[] {
    const path = this.#pathOf(name)
    const items = this.#object[name] ?? []
    if (!Array.isArray(items)) reject(100, `${path} must be an array`)
    return items.map((item, at) => new ObjectReader(item, `${path}[${at}]`))
  }

  /** Each object of a list that may not be empty. */
  list(name: string): ObjectReader[] {
    const items = this.findList(name)
    if (items.length === 0) reject(131008, `${this.#pathOf(name)} is required`)
    return items
  }

  #pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }
}

/** Lengths count Unicode code points: an emoji is one character to the people who set the limits. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A JSON integer of any size: template ids pass 2^53. */
export function jsonInteger(digits: string): unknown {
  return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(digits)
}
