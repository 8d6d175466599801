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
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Whatever stands in an address: what makes no sense is left out. */
export function readChartSearch(given: Record<string, unknown>): ChartSearch {
  const days = SPANS.find((each) => each === Number(given['days']))
  const [from, to] = [dayIn(given['from']), dayIn(given['to'])]
  const [senderId, template, language] = [
    textIn(given['senderId']),
    textIn(given['template']),
    textIn(given['language']),
  ]
  return {
    ...(from !== undefined && to !== undefined ? { from, to } : days && { days }),
    ...(senderId && { senderId }),
    ...(template && { template }),
    ...(language && { language }),
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, TEXT_MOST) : undefined

const dayIn = (value: unknown): string | undefined => (typeof value === 'string' && DAY.test(value) ? value : undefined)

/** What the server is asked: days that are named, or so many up to today. */
export const rangeOf = ({ days, from, to }: ChartSearch): { last: number } | { from: string; to: string } =>
  from !== undefined && to !== undefined ? { from, to } : { last: days ?? USUAL_SPAN }
