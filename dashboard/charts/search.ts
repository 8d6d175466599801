import { dayIn, idIn, textIn } from '../ui/list/search-params.ts'

/** What the charts show, in the page's address. Days are of the delivery zone. */
export type ChartSearch = {
  days?: 7 | 30 | 90
  from?: string
  to?: string
  senderId?: string
  template?: string
  language?: string
}

export const SPANS = [7, 30, 90] as const
export const USUAL_SPAN = 30
const MAX_TEXT = 512

/** Leaves out invalid values: an address can hold anything. */
export function readChartSearch(raw: Record<string, unknown>): ChartSearch {
  const days = SPANS.find((each) => each === Number(raw['days']))
  const [from, to] = [dayIn(raw['from']), dayIn(raw['to'])]
  const senderId = idIn(raw['senderId'])
  const [template, language] = [textIn(raw['template'], MAX_TEXT), textIn(raw['language'], MAX_TEXT)]
  return {
    ...(from !== undefined && to !== undefined ? { from, to } : days && { days }),
    ...(senderId && { senderId }),
    ...(template && { template }),
    ...(language && { language }),
  }
}

/** Without the days. */
export const choiceOf = ({ senderId, template, language }: ChartSearch) => ({
  ...(senderId && { senderId }),
  ...(template && { template }),
  ...(language && { language }),
})

/** The range for the server: from and to, or a number of days up to today. */
export const rangeOf = ({ days, from, to }: ChartSearch): { last: number } | { from: string; to: string } =>
  from !== undefined && to !== undefined ? { from, to } : { last: days ?? USUAL_SPAN }

/** What the page asks for, and what is fetched ahead of it. */
export const chartInput = (workspaceId: string, search: ChartSearch) => ({
  workspaceId,
  range: rangeOf(search),
  ...choiceOf(search),
})
