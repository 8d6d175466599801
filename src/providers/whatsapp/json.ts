import { storableText } from '../../lib/db/pool.ts'

/** JSON in which every member may be absent or have another type. */
export type JsonObject = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Accepts numbers too: ids and times come as either. Returns undefined for an empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : Number.isFinite(value) ? String(value) : undefined

const IDENTIFIER = /^[\x21-\x7e]{1,512}$/

/** An id or word of the provider that fits a text column and an index. */
export function identifier(value: unknown): string | null {
  const text = textOf(value)
  return text !== undefined && IDENTIFIER.test(text) ? text : null
}

/** Returns undefined if the text is not a JSON object. Hides the parser's message, which quotes the text. */
export function readObject(text: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 32

/** Makes all text storable. Values below MAX_DEPTH become null; known payloads are less deep. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((each) => storable(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storable(member, depth + 1)]),
  )
}
