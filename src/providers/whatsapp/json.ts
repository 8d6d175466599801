import { storableText } from '../../db.ts'

/** Narrow readers for JSON of which every member may be absent or of another type (whatsapp-cloud-api.md §0). */
export type JsonObject = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Also of a number: ids and times come as either. Empty text is as good as none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : Number.isFinite(value) ? String(value) : undefined

const IDENTIFIER = /^[\x21-\x7e]{1,512}$/

/** A provider's own id or word, fit for a text column and for an index. */
export function identifier(value: unknown): string | null {
  const text = textOf(value)
  return text !== undefined && IDENTIFIER.test(text) ? text : null
}

/** Undefined when it is not JSON, or not an object. Says nothing of why: the parser's message quotes the text. */
export function readObject(text: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

const DEPTH_MOST = 32

/** The value with all its text made storable. What lies deeper than any known payload becomes null. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MOST) return null
  if (Array.isArray(value)) return value.map((each) => storable(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storable(member, depth + 1)]),
  )
}
