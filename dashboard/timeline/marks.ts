import { daysOf } from '@doorcode/whatsapp-emulator/phone/state.ts'
import type { TimelineEntry as Entry } from '../../src/explain/entry.ts'
import type { KeyOf } from '../texts/use-texts.ts'
import { type Colour, STATE_COLOURS, STATUS_COLOURS, type StatusValue } from '../ui/state/status.ts'

/** A timeline entry. Other members depend on `what`. */
export type TimelineEntry = Pick<Entry, 'at' | 'what' | 'detail'> & { readonly [member: string]: unknown }
export type Kind = Entry['what']

type Word = KeyOf<'page_timeline'> & keyof typeof STATE_COLOURS.step
type WordMark = { word: Word; colour: Colour }
/** A text code of this folder, the status of a message, or text that is shown unchanged. */
export type Mark = WordMark | { status: StatusValue<'message'>; colour: Colour } | { text: string; colour: Colour }

const wordMark = (word: Word): WordMark => ({ word, colour: STATE_COLOURS.step[word] })

/** What an attempt's outcome is called here. */
const ATTEMPTS = {
  accepted: 'taken',
  retry: 'retry',
  rejected: 'rejected',
  unknown: 'unknown',
  not_made: 'not_made',
  open: 'open',
} as const satisfies Record<string, Word>

const OUTCOMES = {
  ignored: 'ignored',
  parked: 'parked',
  quarantined: 'quarantined',
  waiting: 'in_line',
} as const satisfies Record<string, Word>

const isStatus = (word: unknown): word is StatusValue<'message'> =>
  typeof word === 'string' && Object.hasOwn(STATUS_COLOURS.message, word)

const statusMarks = (status: unknown): Mark[] =>
  isStatus(status) ? [{ status, colour: STATUS_COLOURS.message[status] }] : []

const DELIVERIES = { pending: 'to_come', held: 'held' } as const satisfies Record<string, Word>

const inTable = (table: Readonly<Record<string, Word>>, key: unknown): Mark[] => {
  const word = typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined
  return word ? [wordMark(word)] : []
}

/** An ignored report changed nothing. */
const quietIf =
  ({ outcome }: TimelineEntry) =>
  (mark: Mark): Mark =>
    outcome === 'ignored' ? { ...mark, colour: STATE_COLOURS.step.ignored } : mark

/** What the event reports is bad news, even where its webhook arrived. */
const FAILED_EVENT = /\.failed$/
const SUCCESS_FIRST = 200
const SUCCESS_LAST = 299

/** Badges of an entry, in the language of the page. */
export function marksOf(entry: TimelineEntry): Mark[] {
  switch (entry.what) {
    case 'attempt':
      return inTable(ATTEMPTS, entry['outcome'])
    case 'report':
      return [...statusMarks(entry['report']).map(quietIf(entry)), ...inTable(OUTCOMES, entry['outcome'])]
    case 'customer':
      return inTable(OUTCOMES, entry['outcome'])
    case 'message':
      return statusMarks(entry['status'])
    case 'event':
      return typeof entry['type'] === 'string'
        ? [{ text: entry['type'], colour: FAILED_EVENT.test(entry['type']) ? 'failure' : 'neutral' }]
        : []
    case 'webhook':
      return webhookMarks(entry)
    case 'timer':
      if (isToCome(entry)) return [wordMark('armed')]
      return inTable(OUTCOMES, entry['outcome'])
    case 'request':
      return [wordMark('accepted')]
    case 'quota':
    case 'answer':
      return []
  }
}

function webhookMarks(entry: TimelineEntry): Mark[] {
  const { httpStatus, status } = entry
  if (typeof status === 'string') return inTable(DELIVERIES, status)
  if (typeof httpStatus !== 'number') return [wordMark('no_answer')]
  const succeeded = httpStatus >= SUCCESS_FIRST && httpStatus <= SUCCESS_LAST && entry['error'] == null
  return [{ text: `HTTP ${httpStatus}`, colour: succeeded ? 'neutral' : STATUS_COLOURS.delivery.failed }]
}

/** The entry changed nothing. */
export const isMuted = ({ what, outcome }: TimelineEntry): boolean =>
  (what === 'report' || what === 'customer') && outcome === 'ignored'

/** The entry has not happened yet. */
export const isToCome = ({ what, status, outcome }: TimelineEntry): boolean =>
  (what === 'timer' && outcome === undefined) || (what === 'webhook' && typeof status === 'string')

export const durationOf = ({ durationMs }: TimelineEntry): number | undefined =>
  typeof durationMs === 'number' ? durationMs : undefined

/** Shorter spans are not shown. */
const MIN_PAUSE_MS = 1

/** Requests that follow the one whose facts the page shows. */
const SAYS_MORE: ReadonlySet<string> = new Set(['explain.refusal_request', 'explain.verification_request'])

/** The sentence of such an entry would only repeat its name and badges or, for a request, the facts of the page. */
export const saysAll = ({ what, outcome, report, repeats, detail }: TimelineEntry): boolean =>
  (what === 'request' && !SAYS_MORE.has(detail.code)) ||
  (what === 'attempt' && outcome === 'accepted') ||
  (what === 'report' && outcome === 'applied' && typeof report === 'string' && report !== 'failed' && repeats === 0)

/** Entries under the day on which they happened, each with the time that passed since the one before it. */
export const byDay = <Entry extends { at: string }>(entries: readonly Entry[], dayOf: (at: Date) => string) =>
  daysOf(
    entries.map((entry, index) => {
      const { at } = entry
      const passed = new Date(at).getTime() - new Date(entries[index - 1]?.at ?? at).getTime()
      return { at, entry, sinceMs: passed >= MIN_PAUSE_MS ? passed : undefined }
    }),
    dayOf,
  )

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/

/** A displayed text, cut at the instants in it: odd indexes are instants. */
export const cutAtInstants = (sentence: string): string[] => sentence.split(new RegExp(`(${INSTANT.source})`))

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
