import type { Answers } from '../api.ts'
import { dayIn, idIn, textIn } from '../messages/search.ts'

export type Listed = Answers['confirmations']['list']['rows'][number]
export type Status = Listed['status']
export type RefusalStatus = NonNullable<Listed['refusalStatus']>

/** In the order in which a confirmation goes through them. */
export const STATUSES = [
  'accepted',
  'awaiting_answer',
  'confirmed',
  'cancelled',
  'rescheduling',
  'rescheduled',
  'no_response',
  'failed',
] as const satisfies readonly Status[]

export const REFUSALS = [
  'none',
  'accepted',
  'awaiting_answer',
  'awaiting_reason',
  'awaiting_note',
  'denied',
  'refusal_confirmed',
  'no_response',
  'failed',
] as const satisfies readonly (RefusalStatus | 'none')[]

/** What the list shows, in the page's address: who gets the link sees the same. Days are of the delivery zone. */
export type ConfirmationSearch = {
  text?: string
  status?: Status
  refusal?: (typeof REFUSALS)[number]
  template?: string
  senderId?: string
  from?: string
  to?: string
  /** Confirmations before this one: where an earlier page ended. */
  before?: string
}

const TEXT_MOST = 200
const TEMPLATE_MOST = 512

/** Whatever stands in an address: what makes no sense is left out. */
export function readConfirmationSearch(given: Record<string, unknown>): ConfirmationSearch {
  const [text, template] = [textIn(given['text'], TEXT_MOST), textIn(given['template'], TEMPLATE_MOST)]
  const status = STATUSES.find((each) => each === given['status'])
  const refusal = REFUSALS.find((each) => each === given['refusal'])
  const [senderId, before] = [idIn(given['senderId']), idIn(given['before'])]
  const [from, to] = [dayIn(given['from']), dayIn(given['to'])]
  return {
    ...(text && { text }),
    ...(status && { status }),
    ...(refusal && { refusal }),
    ...(template && { template }),
    ...(senderId && { senderId }),
    ...(from && { from }),
    ...(to && { to }),
    ...(before && { before }),
  }
}

export const isFiltered = (search: ConfirmationSearch): boolean => Object.keys(search).some((name) => name !== 'before')

/** Another filter begins at the newest again. */
export const withFilter = (search: ConfirmationSearch, change: Record<string, string>): ConfirmationSearch =>
  readConfirmationSearch({ ...search, ...change, before: undefined })
