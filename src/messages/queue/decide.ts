import { MINUTE_MS, SECOND_MS, later, notBefore } from '../../lib/clock.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { ProviderError, SendOutcome } from '../../providers/provider.ts'

/** What comes after an attempt (docs/otp.md#submission-and-expiry). Pure: randomness and time come in. */
export type Decision =
  | { next: 'accepted'; providerMessageId: string }
  | { next: 'retry'; dueAt: Date; failureCode: FailureCode; breaker: BreakerOpening | null }
  | { next: 'failed'; failureCode: FailureCode }
  /** The provider may have the message. A status report with our id may still show it until `dueAt`. */
  | { next: 'unknown'; dueAt: Date; failureCode: FailureCode }

/** Opens a circuit breaker: nothing goes through the scope until it ends. Then each sender is half-open for one message. */
export type BreakerOpening =
  | { scope: 'pair' }
  /** `providerCode`: null when the error had none. */
  | { scope: 'sender' | 'account'; until: Date; providerCode: number | null }
  /** Until the token is renewed or works again. */
  | { scope: 'credentials' }

export type AttemptContext = {
  now: Date
  /** Attempts to send this message, including this one. */
  attempts: number
  /** How often the sender's breaker has opened in a row. */
  breakerStep: number
  /** 0 to 1, exclusive. */
  random: number
}

/** The failure of a message whose window closed. With an open attempt it did not simply expire: the provider may have it. */
export const failureAtClose = (of: { attemptIsOpen: boolean; lastFailureCode: FailureCode | null }): FailureCode =>
  of.attemptIsOpen ? 'PROVIDER_UNAVAILABLE' : (of.lastFailureCode ?? 'SUBMISSION_EXPIRED')

/** After an answer was lost: how long a status report may take to show its outcome. */
export const UNKNOWN_WAIT_MS = 10 * SECOND_MS
/** How often a message may be sent again after an attempt with an unknown outcome. */
export const MAX_UNKNOWN_RESENDS = 1

const JITTER = 0.25
const MIN_RETRY_MS = SECOND_MS
const MAX_RETRY_MS = MINUTE_MS
const MAX_DOUBTFUL_ATTEMPTS = 3
/** The wait of a pair grows by this factor (docs/whatsapp-cloud-api.md#errors, 131056). */
const PAIR_FACTOR = 4
/** The provider counts calls of an app or an account by the hour. Doubles up to the maximum. */
const MIN_ACCOUNT_OPEN_MS = MINUTE_MS
const MAX_ACCOUNT_OPEN_MS = 8 * MINUTE_MS
/**
 * The provider limits a number whose messages were blocked or reported, for hours or days, and more messages make it
 * worse. Longer than the window of a code, so that the code fails instead of arriving when it is no longer needed.
 */
const QUALITY_OPEN_MS = 15 * MINUTE_MS
/** No breaker is open for longer. */
export const MAX_OPEN_MS = QUALITY_OPEN_MS * (1 + JITTER)
/** How often messages are retried while the token is invalid. A renewed token releases them immediately. */
const CREDENTIALS_RETRY_MS = 15 * SECOND_MS

export function afterAttempt(outcome: SendOutcome, context: AttemptContext): Decision {
  switch (outcome.outcome) {
    case 'accepted':
      return { next: 'accepted', providerMessageId: outcome.providerMessageId }
    case 'unreachable':
      // Opens no breaker: it concerns one connection, costs the provider nothing, and the next code may get through.
      return retry('PROVIDER_UNAVAILABLE', after(backOff(context.attempts), context))
    case 'unknown':
      return { next: 'unknown', dueAt: later(context.now, UNKNOWN_WAIT_MS), failureCode: 'PROVIDER_UNAVAILABLE' }
    case 'rejected':
      return afterRejection(outcome.error, context)
  }
}

function afterRejection(error: ProviderError, context: AttemptContext): Decision {
  switch (error.class) {
    case 'permanent':
      return { next: 'failed', failureCode: error.failureCode }
    case 'doubtful':
      if (context.attempts >= MAX_DOUBTFUL_ATTEMPTS) return { next: 'failed', failureCode: error.failureCode }
      return retry(error.failureCode, after(backOff(context.attempts), context))
    case 'transient':
      return afterFault(error, context)
    case 'credentials':
      return retry(error.failureCode, after(CREDENTIALS_RETRY_MS, context), { scope: 'credentials' })
    case 'rate':
      return afterRateError(error, context)
    case 'quality':
      return openingBreaker(error, 'sender', after(QUALITY_OPEN_MS, context))
  }
}

/**
 * The message's wait also grows with its own attempts: a fault of this message only must not open the breaker again and
 * again.
 */
function afterFault(error: ProviderError, context: AttemptContext): Decision {
  const dueAt = after(backOff(context.attempts), context)
  if (error.scope !== 'sender' && error.scope !== 'account') return retry(error.failureCode, dueAt)
  const until = after(backOff(context.breakerStep + 1), context)
  return { ...openingBreaker(error, error.scope, until), dueAt: notBefore(until, dueAt) }
}

function afterRateError(error: ProviderError, context: AttemptContext): Decision {
  switch (error.scope) {
    case 'pair': {
      const delayMs = Math.min(SECOND_MS * PAIR_FACTOR ** (context.attempts - 1), MAX_RETRY_MS)
      return retry(error.failureCode, after(delayMs, context), { scope: 'pair' })
    }
    case 'account': {
      const delayMs = Math.min(MIN_ACCOUNT_OPEN_MS * 2 ** context.breakerStep, MAX_ACCOUNT_OPEN_MS)
      return openingBreaker(error, 'account', after(delayMs, context))
    }
    case 'sender':
    case 'template':
    case 'message':
      return openingBreaker(error, 'sender', after(backOff(context.breakerStep + 1), context))
  }
}

const backOff = (step: number): number => Math.min(MIN_RETRY_MS * 2 ** (step - 1), MAX_RETRY_MS)

const after = (delayMs: number, { now, random }: AttemptContext): Date => later(now, delayMs * (1 + JITTER * random))

type Retry = Extract<Decision, { next: 'retry' }>

const retry = (failureCode: FailureCode, dueAt: Date, breaker: BreakerOpening | null = null): Retry => ({
  next: 'retry',
  dueAt,
  failureCode,
  breaker,
})

const openingBreaker = ({ failureCode, code }: ProviderError, scope: 'sender' | 'account', until: Date): Retry =>
  retry(failureCode, until, { scope, until, providerCode: code })
