import { type TimelineEntry, isToCome } from './marks.ts'

/** A message of a conversation with its attempts and reports, an event with its webhooks, or one entry. */
export type Group = { at: string; head: TimelineEntry; rest: readonly TimelineEntry[] }

/**
 * Each group takes the place of its first entry. If there is only one message, its attempts and reports are not
 * grouped.
 */
export function groupsOf(entries: readonly TimelineEntry[]): Group[] {
  const heads = new Map(entries.flatMap((entry) => (isHead(entry) ? [[idOf(entry), entry] as const] : [])))
  const rest = new Map<TimelineEntry, TimelineEntry[]>()
  const groups: TimelineEntry[] = []
  for (const entry of entries) {
    const head = heads.get(idOf(entry))
    if (head === undefined || head === entry) groups.push(entry)
    else rest.set(head, [...(rest.get(head) ?? []), entry])
  }
  return groups.map((head) => ({ at: head.at, head, rest: rest.get(head) ?? [] }))
}

const isHead = ({ what }: TimelineEntry): boolean => what === 'message' || what === 'event'

/** The id of the message or event that the entry belongs to. */
const idOf = ({ what, messageId, eventId }: TimelineEntry): string | undefined => {
  const id = what === 'event' || what === 'webhook' ? eventId : messageId
  return typeof id === 'string' ? id : undefined
}

/** The latest attempt of each delivery of an event, or what is planned if there was no attempt. */
export function latestPerDelivery(webhooks: readonly TimelineEntry[]): TimelineEntry[] {
  const latest = new Map<unknown, TimelineEntry>()
  for (const webhook of webhooks) {
    const { deliveryId } = webhook
    if (!isToCome(webhook) || !latest.has(deliveryId)) latest.set(deliveryId, webhook)
  }
  return [...latest.values()]
}

/** The time from the first entry to the message's last report. */
export function reportedAfterMs({ at, rest }: Group): number | undefined {
  const last = rest.findLast(({ what, outcome }) => what === 'report' && outcome === 'applied')
  return last && Date.parse(last.at) - Date.parse(at)
}
