import { dayIn, idIn, textIn } from './search-params.ts'

/**
 * The filters that the lists of messages and confirmations share, in the page's address. Days are in the delivery zone.
 */
export type ListSearch = {
  text?: string
  template?: string
  senderId?: string
  from?: string
  to?: string
  /** Shows rows before this one, where an earlier page ended. */
  before?: string
}

const MAX_TEXT = 200
const MAX_TEMPLATE = 512

/** Leaves out invalid values: an address can hold anything. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const [text, template] = [textIn(raw['text'], MAX_TEXT), textIn(raw['template'], MAX_TEMPLATE)]
  const [senderId, before] = [idIn(raw['senderId']), idIn(raw['before'])]
  const [from, to] = [dayIn(raw['from']), dayIn(raw['to'])]
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
