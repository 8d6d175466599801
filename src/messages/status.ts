import type { FailureCode } from '../providers/failure-codes.ts'
import type { StatusReport } from '../providers/provider.ts'
import { type CodedText, plainText } from '../../locales/text.ts'

/** docs/otp.md#statuses. The API has `accepted` and `received`, but our messages begin as `queued`. */
export const MESSAGE_STATUSES = [
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
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

export type MessageState = {
  status: MessageStatus
  /** The provider's time of the earliest sent-type outcome known. */
  sentAt: Date | null
  /** `ours`: decided by us; the provider never reported it. */
  failure: { code: FailureCode; at: Date; ours: boolean } | null
  /** Whether `message.sent` and `message.failed` have been recorded: each at most once. */
  sentEventRecorded: boolean
  failedEventRecorded: boolean
}

type Step = {
  state: MessageState
  event: 'message.sent' | 'message.failed' | null
  /** Why the report did not change what clients see; null when it did. */
  ignored: CodedText | null
}

const OUTCOME_RANK = { sent: 1, delivered: 2, read: 3, played: 4 } as const

/** Applies a provider's report, or our own decision that the message failed (docs/otp.md#reports). Pure. */
export function applyReport(
  state: MessageState,
  { outcome, failureCode, ours }: Pick<StatusReport, 'outcome' | 'failureCode' | 'ours'>,
  at: Date,
): Step {
  return outcome === 'failed' ? fail(state, { code: failureCode ?? 'UNKNOWN', at, ours }) : advance(state, outcome, at)
}

function fail(state: MessageState, failure: NonNullable<MessageState['failure']>): Step {
  if (rankOf(state.status) >= OUTCOME_RANK.delivered) {
    return toUnchanged(state, { code: 'messages.stale_failure', status: plainText(`messages.status_${state.status}`) })
  }
  if (state.failure) {
    // Our own failure is a guess: a failure that the provider reports replaces it.
    const isNews = failure.at > state.failure.at || (state.failure.ours && !failure.ours)
    return isNews
      ? { state: { ...state, failure }, event: null, ignored: null }
      : toUnchanged(state, { code: 'messages.known_failure' })
  }
  const event = state.failedEventRecorded ? null : 'message.failed'
  return { state: { ...state, status: 'failed', failure, failedEventRecorded: true }, event, ignored: null }
}

function advance(state: MessageState, outcome: keyof typeof OUTCOME_RANK, at: Date): Step {
  const sentAt = state.sentAt && state.sentAt <= at ? state.sentAt : at
  // A failed message may have been sent before. A later `sent`, or an outcome beyond it, shows that it did not fail. Our own
  // failure is a guess, which any outcome of the provider proves wrong.
  if (state.failure && !state.failure.ours && outcome === 'sent' && at <= state.failure.at) {
    return toUnchanged({ ...state, sentAt }, { code: 'messages.failed_afterwards' })
  }
  if (!state.failure && OUTCOME_RANK[outcome] <= rankOf(state.status)) {
    return toUnchanged(
      { ...state, sentAt },
      { code: 'messages.already_known', status: plainText(`messages.status_${state.status}`) },
    )
  }
  const event = state.sentEventRecorded ? null : 'message.sent'
  return {
    state: { ...state, status: outcome, sentAt, failure: null, sentEventRecorded: true },
    event,
    ignored: null,
  }
}

/** Whether the client still waits for a delivery: a failure has an event of its own. */
export const awaitsDelivery = (status: MessageStatus): boolean =>
  status !== 'failed' && rankOf(status) < OUTCOME_RANK.delivered

const rankOf = (status: MessageStatus): number =>
  status in OUTCOME_RANK ? OUTCOME_RANK[status as keyof typeof OUTCOME_RANK] : 0

const toUnchanged = (state: MessageState, why: CodedText): Step => ({ state, event: null, ignored: why })
