/** The tabs of the page. */
export const TOPICS = ['deliveries', 'reminders', 'texts'] as const
export type Topic = (typeof TOPICS)[number]

const TOPIC_OF: Readonly<Record<string, Topic>> = {
  confirmation: 'reminders',
  refusal: 'reminders',
  languages: 'texts',
}

/** Where the setting of a JSON pointer is changed. */
export const topicOf = (pointer: string): Topic => TOPIC_OF[pointer.split('/')[1] ?? ''] ?? 'deliveries'

/** Whether a JSON pointer is of this one or of what it contains. */
export const isWithin = (pointer: string, outer: string): boolean => `${pointer}/`.startsWith(`${outer}/`)
