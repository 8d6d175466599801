/** What the lists of messages and of confirmations are both narrowed by, in the page's address. Days are of the delivery zone. */
export type ListSearch = {
  text?: string
  template?: string
  senderId?: string
  from?: string
  to?: string
  /** Rows before this one: where an earlier page ended. */
  before?: string
}

const TEXT_MOST = 200
const TEMPLATE_MOST = 512
const DAY = /^\d{4}-\d{2}-\d{2}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whatever stands in an address: what makes no sense is left out. */
export function readListSearch(given: Record<string, unknown>): ListSearch {
  const [text, template] = [textIn(given['text'], TEXT_MOST), textIn(given['template'], TEMPLATE_MOST)]
  const [senderId, before] = [idIn(given['senderId']), idIn(given['before'])]
  const [from, to] = [dayIn(given['from']), dayIn(given['to'])]
  return {
    ...(text && { text }),
    ...(template && { template }),
    ...(senderId && { senderId }),
    ...(from && { from }),
    ...(to && { to }),
    ...(before && { before }),
  }
}

export const isFiltered = (search: ListSearch): boolean => Object.keys(search).some((name) => name !== 'before')

/** An address that holds nothing but digits is read as a number. */
export const textIn = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, most) : undefined

const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined

/** `2026-02-31` is read as a day of March by some, and as none here. */
const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && isDay(value) ? value : undefined

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
