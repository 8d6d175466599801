import { type TimelineEntry, isToCome } from './marks.ts'

/** A message of a conversation with its attempts and reports, an event with its webhooks, or one entry. */
export type Group = { at: string; head: TimelineEntry; rest: readonly TimelineEntry[] }

/** Each group stands where its first entry does. Attempts and reports of the only message are entries of their own. */
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

/** What came last of each delivery of an event: its latest attempt, or what is still to come where there was none. */
export function latestPerDelivery(webhooks: readonly TimelineEntry[]): TimelineEntry[] {
  const latest = new Map<unknown, TimelineEntry>()
  for (const webhook of webhooks) {
    const { deliveryId } = webhook
    if (!isToCome(webhook) || !latest.has(deliveryId)) latest.set(deliveryId, webhook)
  }
  return [...latest.values()]
}

/** From the first entry to the last report of the message. */
export function reportedAfterMs({ at, rest }: Group): number | undefined {
  const last = rest.findLast(({ what, outcome }) => what === 'report' && outcome === 'applied')
  return last && Date.parse(last.at) - Date.parse(at)
}
