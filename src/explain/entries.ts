import { later } from '../clock.ts'
import type { ProviderError } from '../providers/provider.ts'
import {
  type Language,
  NOTHING_SAID,
  type Sentence,
  asWritten,
  findSentence,
  joined,
  quoted,
  readSentence,
  sentences,
} from '../sentences.ts'
import { quotaMonth } from '../workspaces/quota.ts'
import type {
  AttemptFact,
  DeliveryFact,
  EventFact,
  ProviderReader,
  ReportFact,
  SubmissionFact,
  WebhookAttemptFact,
  WebhookFacts,
} from './facts.ts'

/** One line of what is told. `at` is in the workspace's time. */
export type Entry<Detail = string> = {
  at: string
  what: 'request' | 'quota' | 'message' | 'attempt' | 'report' | 'customer' | 'answer' | 'event' | 'webhook' | 'timer'
  detail: Detail
  [member: string]: unknown
}

/** A line before somebody's language is chosen. */
export type Line = Entry<Sentence>

export const toldIn = (language: Language, lines: readonly Line[]): Entry[] =>
  lines.map((line) => ({ ...line, detail: line.detail[language] }))

/** What happened at one time stays in the order of cause and effect. */
export const inOrder = (lines: Line[]): Line[] =>
  lines.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))

type Unit = { createdAt: Date; quotaUnit: number; monthlyUnits: number | null }

export function quotaEntry({ createdAt, quotaUnit: unit, monthlyUnits: allowance }: Unit): Line {
  const month = quotaMonth(createdAt).slice(0, 7)
  return {
    at: createdAt.toISOString(),
    what: 'quota',
    detail: allowance === null ? says.unit({ unit, month }) : says.unitOf({ unit, month, allowance }),
    unit,
    month,
  }
}

/** `of` says of which message, where there are several. */
export function attemptEntry(
  { attempt, startedAt, endedAt, outcome, httpStatus, providerCode, detail }: AttemptFact,
  of = NOTHING_SAID,
): Line {
  const causes = [
    httpStatus && outcome !== 'accepted' ? asWritten(`HTTP ${httpStatus}`) : undefined,
    providerCode === null ? undefined : says.code({ code: providerCode }),
    detail ? causeOf(detail) : undefined,
  ].filter((cause) => cause !== undefined)
  const because = causes.length > 0 ? says.because({ causes: joined(causes, COMMA) }) : NOTHING_SAID
  return {
    at: startedAt.toISOString(),
    what: 'attempt',
    detail: says.attempt({ attempt, of, outcome: outcomes[outcome], because }),
    attempt,
    outcome,
    durationMs: endedAt.getTime() - startedAt.getTime(),
    httpStatus,
    providerCode,
  }
}

export const COMMA: Sentence = { en: ', ', ar: '، ' }

/** Ours, or the title of an error with what the provider said of it. */
function causeOf(detail: string): Sentence {
  const known = findSentence(detail)
  if (known) return known
  const [title = '', ...rest] = detail.split(': ')
  const knownTitle = findSentence(title)
  return knownTitle ? says.titled({ title: knownTitle, words: rest.join(': ') }) : quoted(detail)
}

export function openAttemptEntry({ attempts, leased }: SubmissionFact, attemptedAt: Date, of = NOTHING_SAID): Line {
  const outcome = leased ? outcomes.underWay : outcomes.noAnswer
  return {
    at: attemptedAt.toISOString(),
    what: 'attempt',
    detail: says.attempt({ attempt: attempts, of, outcome, because: NOTHING_SAID }),
    attempt: attempts,
    outcome: 'open',
  }
}

export function reportEntry(
  { body, receivedAt, aheadMs, repeats, outcome, note }: ReportFact,
  provider: ProviderReader,
  of = NOTHING_SAID,
): Line {
  const status = provider.readStatus(body)
  const error = status?.error
  const occurredAt = status?.at ? later(status.at, aheadMs).toISOString() : null
  const at = occurredAt ? says.at({ at: occurredAt }) : NOTHING_SAID
  const why = status?.outcome === 'failed' ? errorsIn(status.errors, provider) : NOTHING_SAID
  const [fate, again] = [fateOf({ outcome, note }), againOf(repeats)]
  return {
    at: receivedAt.toISOString(),
    what: 'report',
    detail: status
      ? says.reported({ outcome: status.outcome, of, at, why, fate, again })
      : noStatus(provider.readStatusWord(body), { of, fate, again }),
    report: status?.outcome ?? null,
    occurredAt,
    outcome,
    note,
    repeats,
    ...(error ? { providerCode: error.code, providerCodes: status.errors.map(({ code }) => code) } : {}),
  }
}

type Fate = Readonly<Record<'of' | 'fate' | 'again', Sentence>>

const noStatus = (word: string | null, facts: Fate): Sentence =>
  word === null ? says.reportedNoStatus(facts) : says.reportedUnknownStatus({ word, ...facts })

const errorsIn = (errors: readonly ProviderError[], provider: ProviderReader): Sentence =>
  says.because({ causes: errors.length === 0 ? says.noReason : joined(errors.map(errorIn(provider)), SEMICOLON) })

const errorIn =
  (provider: ProviderReader) =>
  ({ code }: ProviderError): Sentence => {
    if (code === null) return says.noCode
    const known = provider.findError(code)
    return known ? says.knownCode({ code, title: known.title }) : says.unknownCode({ code })
  }

const SEMICOLON: Sentence = { en: '; ', ar: '؛ ' }

/** What became of something that came in, unless it was simply applied. */
export function fateOf({ outcome, note }: Pick<ReportFact, 'outcome' | 'note'>): Sentence {
  if (outcome === 'applied') return NOTHING_SAID
  const fate = fates[outcome]
  return note ? says.fateBecause({ fate, note: readSentence(note) }) : says.fate({ fate })
}

export const againOf = (repeats: number): Sentence => (repeats > 0 ? says.again({ times: repeats + 1 }) : NOTHING_SAID)

/** Events, every attempt to deliver them, and the deliveries that wait. */
export const webhookEntries = ({ events, deliveries, webhookAttempts }: WebhookFacts): Line[] => [
  ...events.map((event) => eventEntry(event, deliveries)),
  ...webhookAttempts.map((attempt) => webhookEntry(attempt, deliveries)),
  ...deliveries.filter(isWaiting).map(waitingEntry),
]

function eventEntry({ id, type, recordedAt }: EventFact, deliveries: readonly DeliveryFact[]): Line {
  const count = deliveries.filter(({ eventId }) => eventId === id).length
  const event = { type, id }
  return {
    at: recordedAt.toISOString(),
    what: 'event',
    detail: count === 0 ? says.forNone(event) : count === 1 ? says.forOne(event) : says.forSeveral({ ...event, count }),
    eventId: id,
    type,
  }
}

function webhookEntry(
  { deliveryId, attempt, startedAt, durationMs, httpStatus, error }: WebhookAttemptFact,
  deliveries: readonly DeliveryFact[],
): Line {
  const delivery = deliveries.find(({ id }) => id === deliveryId)
  return {
    at: startedAt.toISOString(),
    what: 'webhook',
    detail: says.posted({
      url: String(delivery?.url),
      attempt,
      answer: httpStatus === null ? says.noAnswer : asWritten(`HTTP ${httpStatus}`),
      because: error ? says.because({ causes: readSentence(error) }) : NOTHING_SAID,
      durationMs,
    }),
    eventId: delivery?.eventId ?? null,
    endpointId: delivery?.endpointId ?? null,
    attempt,
    httpStatus,
    error,
  }
}

const isWaiting = ({ status }: DeliveryFact): boolean => status === 'pending' || status === 'held'

function waitingEntry({
  url,
  eventId,
  endpointId,
  status,
  endpointStatus,
  dueAt,
  leased,
  createdAt,
}: DeliveryFact): Line {
  return {
    at: (leased || !dueAt ? createdAt : dueAt).toISOString(),
    what: 'webhook',
    detail:
      status === 'held' ? says.held({ url, endpointStatus }) : leased ? says.posting({ url }) : says.toPost({ url }),
    eventId,
    endpointId,
    status,
    dueAt: dueAt?.toISOString() ?? null,
  }
}

const outcomes = sentences({
  accepted: { en: 'WhatsApp took the message', ar: 'قبِل واتساب الرسالة' },
  retry: { en: 'not taken, to be tried again', ar: 'لم تُقبل، وستُعاد المحاولة' },
  refused: { en: 'refused for good', ar: 'رُفضت نهائيًا' },
  unknown: { en: 'outcome unknown', ar: 'النتيجة غير معروفة' },
  underWay: { en: 'under way', ar: 'جارية الآن' },
  noAnswer: { en: 'no answer is known yet', ar: 'لا يُعرف لها رد بعد' },
})

/** What became of something that came in and was not simply applied. */
export const fates = sentences({
  waiting: { en: 'waiting', ar: 'بانتظار المعالجة' },
  ignored: { en: 'ignored', ar: 'تم تجاهله' },
  parked: { en: 'parked', ar: 'أُجِّل' },
  quarantined: { en: 'quarantined', ar: 'تعذّرت معالجته' },
})

const says = sentences({
  unit: { en: 'unit {unit} of {month}', ar: 'الوحدة رقم {unit} من شهر {month}' },
  unitOf: {
    en: 'unit {unit} of {month}; the allowance is {allowance} now',
    ar: 'الوحدة رقم {unit} من شهر {month}؛ الحصة الآن {allowance}',
  },
  attempt: { en: 'attempt {attempt}{of}: {outcome}{because}', ar: 'المحاولة {attempt}{of}: {outcome}{because}' },
  because: { en: ' ({causes})', ar: ' ({causes})' },
  code: { en: 'code {code}', ar: 'الرمز {code}' },
  titled: { en: '{title}: {words}', ar: '{title}: «{words}»' },
  reported: {
    en: 'WhatsApp reports {outcome}{of}{at}{why}{fate}{again}',
    ar: 'أبلغ واتساب{of}: {outcome}{at}{why}{fate}{again}',
    words: {
      outcome: { sent: 'أُرسلت', delivered: 'وصلت', read: 'قُرئت', played: 'شُغِّلت', failed: 'فشلت' },
    },
  },
  reportedNoStatus: {
    en: 'WhatsApp reports something that is no status{of}{fate}{again}',
    ar: 'أبلغ واتساب{of} بما ليس حالة{fate}{again}',
  },
  reportedUnknownStatus: {
    en: 'WhatsApp reports "{word}"{of}, which is no status that this release knows{fate}{again}',
    ar: 'أبلغ واتساب{of} بالكلمة «{word}»، وليست حالة يعرفها هذا الإصدار{fate}{again}',
  },
  at: { en: ' at {at}', ar: ' بتاريخ {at}' },
  noReason: { en: 'without a reason', ar: 'بلا سبب' },
  noCode: { en: 'without a code', ar: 'بلا رمز' },
  knownCode: { en: 'code {code} {title}', ar: 'الرمز {code}: {title}' },
  unknownCode: { en: 'code {code}, which this release does not know', ar: 'الرمز {code}، ولا يعرفه هذا الإصدار' },
  fate: { en: '; {fate}', ar: '؛ {fate}' },
  fateBecause: { en: '; {fate}: {note}', ar: '؛ {fate}: {note}' },
  again: { en: '; came {times} times', ar: '؛ عدد مرات وصوله {times}' },
  forNone: { en: '{type} ({id}) for no endpoint', ar: '{type} ({id})، ولا نقطة Webhook لتبليغه' },
  forOne: { en: '{type} ({id}) for 1 endpoint', ar: '{type} ({id}) إلى نقطة Webhook واحدة' },
  forSeveral: { en: '{type} ({id}) for {count} endpoints', ar: '{type} ({id})، عدد نقاط Webhook: {count}' },
  posted: {
    en: 'to {url}, attempt {attempt}: {answer}{because} after {durationMs} ms',
    ar: 'إلى {url}، المحاولة {attempt}: {answer}{because} بعد {durationMs} مللي ثانية',
  },
  noAnswer: { en: 'no answer', ar: 'لا رد' },
  held: {
    en: 'to {url}: held: the endpoint is {endpointStatus}',
    ar: 'إلى {url}: محتجز لأن النقطة {endpointStatus}',
    words: { endpointStatus: { enabled: 'مفعّلة', paused: 'موقوفة مؤقتًا', disabled: 'معطّلة' } },
  },
  posting: { en: 'to {url}: under way', ar: 'إلى {url}: جارٍ الآن' },
  toPost: { en: 'to {url}: next attempt', ar: 'إلى {url}: المحاولة التالية' },
})
