/**
 * Where a search for due rows begins. While a transaction stays open, PostgreSQL keeps the index entries of everything that was done since it
 * began, and a search from the beginning reads them all. While that is slow, searches leave out what was due before the last look
 * (background/look.ts), except in the queues that had something waiting. A row that gets an earlier due time afterwards is found by the next
 * look from the beginning.
 */
export type SearchStart = {
  /** A timestamp. Rows that were due before it are searched only in the queues of `older`. */
  since: string
  /** Each queue with a row that was due before `since`: the columns of the index, with the values of the first such row. */
  older: readonly object[]
}

export type SearchStarts = Readonly<{ messages: SearchStart; deliveries: SearchStart }>

const BEGINNING: SearchStart = { since: '-infinity', older: [] }

export const FROM_BEGINNING: SearchStarts = { messages: BEGINNING, deliveries: BEGINNING }
