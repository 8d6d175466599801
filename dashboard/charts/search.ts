import { dayIn, idIn, textIn } from '../ui/in-address.ts'

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
const TEXT_MOST = 512

/** Whatever stands in an address: what makes no sense is left out. */
export function readChartSearch(given: Record<string, unknown>): ChartSearch {
  const days = SPANS.find((each) => each === Number(given['days']))
  const [from, to] = [dayIn(given['from']), dayIn(given['to'])]
  const senderId = idIn(given['senderId'])
  const [template, language] = [textIn(given['template'], TEXT_MOST), textIn(given['language'], TEXT_MOST)]
  return {
    ...(from !== undefined && to !== undefined ? { from, to } : days && { days }),
    ...(senderId && { senderId }),
    ...(template && { template }),
    ...(language && { language }),
  }
}

/** What the server is asked: days that are named, or so many up to today. */
export const rangeOf = ({ days, from, to }: ChartSearch): { last: number } | { from: string; to: string } =>
  from !== undefined && to !== undefined ? { from, to } : { last: days ?? USUAL_SPAN }
