/**
 * Where a search for due rows begins. A long transaction keeps an index entry of everything done since that transaction began, and a search
 * from the beginning reads them all. While that is slow, a search begins where the last look ended (background/look.ts).
 */
export type SearchStart = {
  /** A timestamp. Of the rows that were due before it, only those of `older` may wait. */
  since: string
  /** Of each queue that had a waiting row which was due before `since`: the values of the first one, by the columns of the index. */
  older: readonly object[]
}

export type SearchStarts = Readonly<{ messages: SearchStart; deliveries: SearchStart }>

const BEGINNING: SearchStart = { since: '-infinity', older: [] }

export const FROM_BEGINNING: SearchStarts = { messages: BEGINNING, deliveries: BEGINNING }
