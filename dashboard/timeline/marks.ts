import type { Entry } from '../../src/explain/entries.ts'
import type { Next } from '../../src/explain/who-must-act.ts'
import type { timelineWords } from './words.ts'

/** An entry as the server tells it; its members beyond these depend on what it is. */
export type TimelineEntry = Pick<Entry, 'at' | 'what' | 'detail'> & { readonly [member: string]: unknown }
export type Kind = Entry['what']
export type Who = Next['who']

/** How a thing went, beside the words that say it. */
export type Tone = 'good' | 'bad' | 'waiting' | 'plain' | 'muted'

type Word = keyof typeof timelineWords.en
export type Marked = { word: Word; tone: Tone }
/** A word of this folder's table, or text that stands as it is. */
export type Mark = Marked | { text: string; tone: Tone }

const ATTEMPTS = {
  accepted: { word: 'taken', tone: 'good' },
  retry: { word: 'retry', tone: 'waiting' },
  refused: { word: 'refused', tone: 'bad' },
  unknown: { word: 'unknown', tone: 'waiting' },
  open: { word: 'open', tone: 'waiting' },
} as const satisfies Record<string, Marked>

const FATES = {
  ignored: { word: 'ignored', tone: 'muted' },
  parked: { word: 'parked', tone: 'waiting' },
  quarantined: { word: 'quarantined', tone: 'bad' },
  waiting: { word: 'inLine', tone: 'waiting' },
} as const satisfies Record<string, Marked>

const STATUSES = {
  accepted: { word: 'statusAccepted', tone: 'plain' },
  received: { word: 'statusAccepted', tone: 'plain' },
  queued: { word: 'statusQueued', tone: 'plain' },
  sending: { word: 'statusSending', tone: 'waiting' },
  sent: { word: 'statusSent', tone: 'plain' },
  delivered: { word: 'statusDelivered', tone: 'good' },
  read: { word: 'statusRead', tone: 'good' },
  played: { word: 'statusPlayed', tone: 'good' },
  failed: { word: 'statusFailed', tone: 'bad' },
} as const satisfies Record<string, Marked>

/** What is known of a message, as everybody sees it. */
export const statusMark = (status: keyof typeof STATUSES): Marked => STATUSES[status]

const DELIVERIES = {
  pending: { word: 'toCome', tone: 'waiting' },
  held: { word: 'held', tone: 'waiting' },
} as const satisfies Record<string, Marked>

const inTable = (table: Readonly<Record<string, Marked>>, key: unknown): Mark[] => {
  const found = typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined
  return found ? [found] : []
}

/** What an ignored report says has not become so. */
const quietIf =
  ({ outcome }: TimelineEntry) =>
  (mark: Mark): Mark =>
    outcome === 'ignored' ? { ...mark, tone: 'muted' } : mark

const SUCCESS_FIRST = 200
const SUCCESS_LAST = 299

/** What of an entry can be seen at a glance, in words that follow the page's language. */
export function marksOf(entry: TimelineEntry): Mark[] {
  switch (entry.what) {
    case 'attempt':
      return inTable(ATTEMPTS, entry['outcome'])
    case 'report':
      return [...inTable(STATUSES, entry['report']).map(quietIf(entry)), ...inTable(FATES, entry['outcome'])]
    case 'customer':
      return inTable(FATES, entry['outcome'])
    case 'message':
      return inTable(STATUSES, entry['status'])
    case 'event':
      return typeof entry['type'] === 'string' ? [{ text: entry['type'], tone: 'plain' }] : []
    case 'webhook':
      return webhookMarks(entry)
    case 'timer':
      return [{ word: 'armed', tone: 'waiting' }]
    case 'request':
    case 'quota':
    case 'answer':
      return []
  }
}

function webhookMarks(entry: TimelineEntry): Mark[] {
  const { httpStatus, status } = entry
  if (typeof status === 'string') return inTable(DELIVERIES, status)
  if (typeof httpStatus !== 'number') return [{ word: 'noAnswer', tone: 'bad' }]
  const went = httpStatus >= SUCCESS_FIRST && httpStatus <= SUCCESS_LAST && entry['error'] == null
  return [{ text: `HTTP ${httpStatus}`, tone: went ? 'good' : 'bad' }]
}

/** It came and changed nothing. */
export const isMuted = ({ what, outcome }: TimelineEntry): boolean =>
  (what === 'report' || what === 'customer') && outcome === 'ignored'

/** It has not happened yet. */
export const isToCome = ({ what, status }: TimelineEntry): boolean =>
  what === 'timer' || (what === 'webhook' && typeof status === 'string')

export const durationOf = ({ durationMs }: TimelineEntry): number | undefined =>
  typeof durationMs === 'number' ? durationMs : undefined

export type Day = { day: string; entries: { entry: TimelineEntry; sinceMs: number | undefined }[] }

/** Less is one moment to a reader. */
const PAUSE_LEAST_MS = 1

/** Entries under the day on which they happened, each with the time that passed since the one before it. */
export function byDay(entries: readonly TimelineEntry[], dayOf: (at: Date) => string): Day[] {
  const days: Day[] = []
  let before: number | undefined
  for (const entry of entries) {
    const at = new Date(entry.at)
    const passed = before === undefined ? 0 : at.getTime() - before
    const item = { entry, sinceMs: passed >= PAUSE_LEAST_MS ? passed : undefined }
    const day = dayOf(at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(item)
    else days.push({ day, entries: [item] })
    before = at.getTime()
  }
  return days
}

const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
  { unit: 'millisecond', ms: 1 },
] as const

/** In its largest unit, with one digit behind the point below ten: `340 ms`, `2.5 s`, `3 h`. */
export function spanInWords(spanMs: number, language: string): string {
  const { unit, ms } = SPANS.find((each) => spanMs >= each.ms) ?? { unit: 'millisecond' as const, ms: 1 }
  const count = spanMs / ms
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: count < 10 ? 1 : 0,
  }).format(count)
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/

/** A sentence of the server, cut at the instants that it names: odd places are instants. */
export const cutAtInstants = (sentence: string): string[] => sentence.split(new RegExp(`(${INSTANT.source})`))
