import type { Answers } from '../api.ts'

export type Listed = Answers['messages']['list']['rows'][number]
export type Status = Listed['status']

/** Those that a message of ours can have; `accepted` and `received` are of the vocabulary only. */
export const STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
] as const satisfies readonly Status[]

export const KINDS = ['otp', 'cod'] as const satisfies readonly Listed['kind'][]

/** What the list shows, in the page's address: who gets the link sees the same. Days are of the delivery zone. */
export type MessageSearch = {
  text?: string
  status?: Status
  kind?: Listed['kind']
  template?: string
  senderId?: string
  from?: string
  to?: string
  /** Messages before this one: where an earlier page ended. */
  before?: string
}

const TEXT_MOST = 200
const TEMPLATE_MOST = 512
const DAY = /^\d{4}-\d{2}-\d{2}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whatever stands in an address: what makes no sense is left out. */
export function readMessageSearch(given: Record<string, unknown>): MessageSearch {
  const text = textIn(given['text'], TEXT_MOST)
  const status = STATUSES.find((each) => each === given['status'])
  const kind = KINDS.find((each) => each === given['kind'])
  const template = textIn(given['template'], TEMPLATE_MOST)
  const [senderId, before] = [idIn(given['senderId']), idIn(given['before'])]
  const [from, to] = [dayIn(given['from']), dayIn(given['to'])]
  return {
    ...(text && { text }),
    ...(status && { status }),
    ...(kind && { kind }),
    ...(template && { template }),
    ...(senderId && { senderId }),
    ...(from && { from }),
    ...(to && { to }),
    ...(before && { before }),
  }
}

/** An address that holds nothing but digits is read as a number. */
export const textIn = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, most) : undefined

export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined

/** `2026-02-31` is read as a day of March by some, and as none here. */
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && isDay(value) ? value : undefined

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export const isFiltered = (search: MessageSearch): boolean => Object.keys(search).some((name) => name !== 'before')

/** Another filter begins at the newest again. */
export const withFilter = (search: MessageSearch, change: Record<string, string>): MessageSearch =>
  readMessageSearch({ ...search, ...change, before: undefined })
