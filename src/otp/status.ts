import type { FailureCode } from '../providers/provider.ts'
import { type Sentence, keptSentences } from '../sentences.ts'

/** spec §3.1. `accepted` and `received` belong to the vocabulary; ours begin with `queued` (contract §3). */
export const OTP_STATUSES = [
  'accepted',
  'received',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
] as const
export type OtpStatus = (typeof OTP_STATUSES)[number]

export type OtpState = {
  status: OtpStatus
  /** The provider's time of the earliest sent-type outcome known. */
  sentAt: Date | null
  failure: { code: FailureCode; at: Date } | null
  /** Whether `message.sent` and `message.failed` have been recorded: each at most once (spec §6). */
  sentEventRecorded: boolean
  failedEventRecorded: boolean
}

export type OtpReport =
  | { outcome: 'sent' | 'delivered' | 'read' | 'played'; at: Date }
  | { outcome: 'failed'; at: Date; failureCode: FailureCode }

export type OtpStep = {
  state: OtpState
  event: 'message.sent' | 'message.failed' | null
  /** Why the report did not change what callers see; null when it did. */
  ignored: string | null
}

const OUTCOME_RANK = { sent: 1, delivered: 2, read: 3, played: 4 } as const

/** One provider report, or the end of our own tries, applied to a message (contract §3). Pure. */
export function applyReport(state: OtpState, report: OtpReport): OtpStep {
  return report.outcome === 'failed' ? fail(state, report) : advance(state, report)
}

function fail(state: OtpState, report: OtpReport & { outcome: 'failed' }): OtpStep {
  if (rankOf(state.status) >= OUTCOME_RANK.delivered) {
    return unchanged(state, notes.staleFailure({ status: state.status }))
  }
  const failure = { code: report.failureCode, at: report.at }
  if (state.failure) {
    return report.at > state.failure.at
      ? { state: { ...state, failure }, event: null, ignored: null }
      : unchanged(state, notes.knownFailure)
  }
  const event = state.failedEventRecorded ? null : 'message.failed'
  return { state: { ...state, status: 'failed', failure, failedEventRecorded: true }, event, ignored: null }
}

function advance(state: OtpState, report: OtpReport & { outcome: keyof typeof OUTCOME_RANK }): OtpStep {
  const sentAt = state.sentAt && state.sentAt <= report.at ? state.sentAt : report.at
  if (state.failure && !corrects(report, state.failure.at)) {
    return unchanged({ ...state, sentAt }, notes.failedAfterwards)
  }
  if (!state.failure && OUTCOME_RANK[report.outcome] <= rankOf(state.status)) {
    return unchanged({ ...state, sentAt }, notes.alreadyKnown({ status: state.status }))
  }
  const event = state.sentEventRecorded ? null : 'message.sent'
  return {
    state: { ...state, status: report.outcome, sentAt, failure: null, sentEventRecorded: true },
    event,
    ignored: null,
  }
}

/** `sent` and `failed` both belong to a message that failed; later than the failure, or beyond `sent`, it did not fail. */
const corrects = (report: OtpReport, failedAt: Date): boolean => report.outcome !== 'sent' || report.at > failedAt

const rankOf = (status: OtpStatus): number =>
  status in OUTCOME_RANK ? OUTCOME_RANK[status as keyof typeof OUTCOME_RANK] : 0

const unchanged = (state: OtpState, why: Sentence): OtpStep => ({ state, event: null, ignored: why.en })

const STATUSES = { sent: 'أُرسلت', delivered: 'وصلت', read: 'قُرئت', played: 'شُغِّلت', failed: 'فشلت' }

const notes = keptSentences({
  staleFailure: {
    en: 'the message is known to be {status}, so this failure is stale',
    ar: 'من المعروف أن الرسالة {status}، فلم يعد هذا الفشل صحيحًا',
    words: { status: STATUSES },
  },
  knownFailure: { en: 'a failure was already known', ar: 'كان فشلها معروفًا' },
  failedAfterwards: { en: 'the message was sent and failed afterwards', ar: 'أُرسلت الرسالة ثم فشلت بعد ذلك' },
  alreadyKnown: {
    en: 'the message is already known to be {status}',
    ar: 'من المعروف مسبقًا أن الرسالة {status}',
    words: { status: STATUSES },
  },
})
