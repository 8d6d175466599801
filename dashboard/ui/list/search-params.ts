/** Values of an address, or undefined when invalid: links can hold anything. */

const DAY = /^\d{4}-\d{2}-\d{2}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The router reads text of only digits as a number. */
export const textIn = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, max) : undefined

const isId = (text: string): boolean => UUID.test(text)

export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && isId(value) ? value.toLowerCase() : undefined

/** Some parsers read `2026-02-31` as a day in March; here it is invalid. */
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && isDay(value) ? value : undefined

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
