import { type SearchOf, dayIn, idIn, searchReader, textUpTo } from '../ui/list/list-search.ts'

export const SPANS = [7, 30, 90] as const
export const USUAL_SPAN = 30
const MAX_TEXT = 512

/** What the charts show, in the page's address. Days are in the delivery zone. */
const FILTERS = {
  days: (value: unknown) => SPANS.find((each) => each === Number(value)),
  from: dayIn,
  to: dayIn,
  senderId: idIn,
  template: textUpTo(MAX_TEXT),
  language: textUpTo(MAX_TEXT),
}

export type ChartSearch = SearchOf<typeof FILTERS>

const read = searchReader(FILTERS)

export function readChartSearch(raw: Record<string, unknown>): ChartSearch {
  const { days, from, to, ...choice } = read(raw)
  return { ...(from !== undefined && to !== undefined ? { from, to } : days && { days }), ...choice }
}

/** The search without its days. */
export const choiceOf = ({ days: _days, from: _from, to: _to, ...choice }: ChartSearch) => choice

/** The range for the server: from and to, or a number of days up to today. */
export const rangeOf = ({ days, from, to }: ChartSearch): { last: number } | { from: string; to: string } =>
  from !== undefined && to !== undefined ? { from, to } : { last: days ?? USUAL_SPAN }
