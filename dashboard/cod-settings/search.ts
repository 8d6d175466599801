import { oneOf, searchReader } from '../ui/list/list-search.ts'

/** The tabs of the page. */
export const TOPICS = ['deliveries', 'reminders', 'texts'] as const
export type Topic = (typeof TOPICS)[number]

const TOPIC_OF: Readonly<Record<string, Topic>> = {
  confirmation: 'reminders',
  refusal: 'reminders',
  languages: 'texts',
}

/** The topic under which the setting of a JSON pointer can be changed. */
export const topicOf = (pointer: string): Topic => TOPIC_OF[pointer.split('/')[1] ?? ''] ?? 'deliveries'

/** Whether a JSON pointer is `outer` or lies within it. */
export const isWithin = (pointer: string, outer: string): boolean => `${pointer}/`.startsWith(`${outer}/`)

/** The tab that is open. */
export const readCodSettingsSearch = searchReader({ tab: oneOf(TOPICS) })
