import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { ApiError } from '../../lib/errors.ts'

/** Of one verification. */
export const MAX_RESENDS = 3
export const RESEND_INTERVAL_MS = 30 * SECOND_MS

/** Codes of verifications that are sent to one recipient. */
export const MAX_SENDS_IN_SHORT = 5
export const SHORT_MS = 10 * MINUTE_MS
export const MAX_SENDS_A_DAY = 20
/**
 * With codes of four digits, guessing the codes of one number succeeds on one day in 500, or one in 100 if as many verifications as possible are
 * pending.
 */
export const MAX_WRONG_A_DAY = 20

/** Numbers that differ only in the last digits are one block of an operator, as those who earn from messages to their own numbers use them. */
export const VARIABLE_DIGITS = 4
export const PREFIX_WINDOW_MS = HOUR_MS
/** From so many verifications on, a prefix is suspicious if fewer than one of MIN_APPROVED_OF is approved. */
export const MIN_SUSPICIOUS = 20
export const MIN_APPROVED_OF = 10
/** The newest verifications of a prefix that are counted. */
export const MAX_COUNTED_OF_PREFIX = 200

/** From so many wrong codes of a workspace on, checks are suspicious if fewer than one of MIN_RIGHT_OF was right. */
export const MIN_WRONG = 100
export const MIN_RIGHT_OF = 3
/** Checks are counted in steps of this length: those of the present step and of the one before. */
export const CHECKS_STEP_MS = HOUR_MS / 2
export const CHECKS_WINDOW_MS = 2 * CHECKS_STEP_MS

/** How many earlier verifications of a recipient decide: each has at least one message. */
export const MAX_EARLIER = MAX_SENDS_A_DAY

/** Earlier verifications of one recipient, and of its prefix. Instants are texts. */
export type RecipientHistory = {
  recipient: string
  earlier: readonly { sentAt: readonly string[]; wrongAt: readonly string[] }[] | null
  /** Of the newest verification of the prefix. */
  number: number
  prefix: PrefixCounts
}

export type PrefixCounts = { started: number; approved: number }

/** Many numbers of one prefix, and almost none of them verified: the limit against pumping. */
export const isPumped = ({ started, approved }: PrefixCounts): boolean =>
  started >= MIN_SUSPICIOUS && approved * MIN_APPROVED_OF < started

/** How many codes were checked in a workspace lately. */
export type CheckCounts = { right: number; wrong: number }

/** Many wrong codes, and few right ones: the limit against guessing the codes of many numbers. */
export const isGuessed = ({ right, wrong }: CheckCounts): boolean =>
  wrong >= MIN_WRONG && right * MIN_RIGHT_OF < right + wrong

/** Why a workspace can start no verification now. */
export const guessingError = (checks: CheckCounts): ApiError | undefined =>
  isGuessed(checks)
    ? new ApiError('OTP_GUESSING_SUSPECTED', { code: 'otp.guessing', ...checks, minutes: CHECKS_WINDOW_MS / MINUTE_MS })
    : undefined

/** Why the recipient gets no new verification now. If several limits are reached, the error names the one that ends last. */
export function recipientLimitError({ earlier, prefix }: RecipientHistory, now: Date): ApiError | undefined {
  const sent = earlier?.flatMap(({ sentAt }) => sentAt) ?? []
  const wrong = earlier?.flatMap(({ wrongAt }) => wrongAt) ?? []
  const limits = [
    { times: sent, max: MAX_SENDS_IN_SHORT, withinMs: SHORT_MS, code: 'otp.recipient_sends' },
    { times: sent, max: MAX_SENDS_A_DAY, withinMs: DAY_MS, code: 'otp.recipient_sends' },
    { times: wrong, max: MAX_WRONG_A_DAY, withinMs: DAY_MS, code: 'otp.recipient_wrong' },
  ] as const
  const reached = limits.flatMap(({ times, max, withinMs, code }) => {
    const at = freeAt(times, { max, withinMs, now })
    return at ? { code, max, minutes: withinMs / MINUTE_MS, at: at.toISOString() } : []
  })
  const [last] = reached.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
  if (last) return new ApiError('OTP_RECIPIENT_LIMITED', last)
  if (!isPumped(prefix)) return undefined
  const detail = {
    code: 'otp.pumping',
    ...prefix,
    digits: VARIABLE_DIGITS,
    minutes: PREFIX_WINDOW_MS / MINUTE_MS,
  } as const
  return new ApiError('OTP_PUMPING_SUSPECTED', detail)
}

type Allowance = { max: number; withinMs: number; now: Date }

/** When one more is allowed; undefined if it is now. */
function freeAt(times: readonly string[], { max, withinMs, now }: Allowance): Date | undefined {
  const recent = times
    .map((time) => new Date(time))
    .filter((time) => later(time, withinMs) > now)
    .sort((one, other) => other.getTime() - one.getTime())
  const last = recent[max - 1]
  return last && later(last, withinMs)
}

type Sent = { status: string; expiresAt: Date; sentAt: readonly Date[] }

/** When the code may be sent again; null if never. */
export function nextResendAt({ status, expiresAt, sentAt }: Sent): Date | null {
  const last = sentAt.at(-1)
  if (status !== 'pending' || !last || resendsLeft({ status, sentAt }) === 0) return null
  const at = later(last, RESEND_INTERVAL_MS)
  return at < expiresAt ? at : null
}

export const resendsLeft = ({ status, sentAt }: Pick<Sent, 'status' | 'sentAt'>): number =>
  status === 'pending' ? Math.max(0, MAX_RESENDS + 1 - sentAt.length) : 0

/** Why the code may not be sent again now. */
export function resendLimitError(sent: Sent, now: Date): ApiError | undefined {
  if (resendsLeft(sent) === 0)
    return new ApiError('OTP_RESEND_LIMITED', { code: 'otp.no_resend_left', max: MAX_RESENDS })
  const at = nextResendAt(sent)
  if (!at) return new ApiError('OTP_RESEND_LIMITED', { code: 'otp.resend_too_late' })
  return now >= at
    ? undefined
    : new ApiError('OTP_RESEND_LIMITED', { code: 'otp.resend_too_early', at: at.toISOString() })
}
