import { dayIn, idIn, textIn } from './in-address.ts'

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
