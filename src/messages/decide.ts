import { MINUTE_MS, SECOND_MS, later, notBefore } from '../clock.ts'
import type { FailureCode, ProviderError, SendOutcome } from '../providers/provider.ts'

/** What comes after an attempt (contract §7). Pure: randomness and time come in. */
export type Next =
  | { next: 'accepted'; providerMessageId: string }
  | { next: 'retry'; dueAt: Date; failureCode: FailureCode; hold: Hold | null }
  | { next: 'failed'; failureCode: FailureCode }
  /** Nobody knows; a status report that carries our id may tell until `dueAt`. */
  | { next: 'unknown'; dueAt: Date; failureCode: FailureCode }

/** Nothing else goes through the scope before it is over. Then one message of each sender held goes alone first. */
export type Hold =
  | { scope: 'pair' }
  /** `providerCode`: what the provider said, if it named a code. */
  | { scope: 'sender' | 'account'; until: Date; providerCode: number | null }
  /** Until the token is renewed or works again. */
  | { scope: 'credentials' }

export type AttemptContext = {
  now: Date
  /** Of this message, this attempt included. */
  attempts: number
  /** How often the sender was held in a row. */
  holdStep: number
  /** 0 to 1, exclusive. */
  random: number
}

/** Why a message failed whose window closed. With an attempt open the provider may have it: it did not simply expire. */
export const failureAtClose = (of: { attemptIsOpen: boolean; lastFailureCode: FailureCode | null }): FailureCode =>
  of.attemptIsOpen ? 'PROVIDER_UNAVAILABLE' : (of.lastFailureCode ?? 'SUBMISSION_EXPIRED')

/** How long a status report may take to tell what became of a lost answer. */
export const UNKNOWN_WAIT_MS = 10 * SECOND_MS
/** How often one message is sent again without knowing what became of the last attempt. */
export const UNKNOWN_RESENDS_MOST = 1

const FIRST_RETRY_MS = SECOND_MS
const LONGEST_RETRY_MS = MINUTE_MS
const DOUBTFUL_ATTEMPTS_MOST = 3
/** The pair's hold grows by this factor (whatsapp-cloud-api.md §3.3, 131056). */
const PAIR_FACTOR = 4
/** Calls of an app or an account are counted by the hour (§7). It doubles up to the longest. */
const ACCOUNT_HOLD_MS = MINUTE_MS
const LONGEST_ACCOUNT_HOLD_MS = 8 * MINUTE_MS
/**
 * The provider limits a number whose messages were blocked or reported, for hours or days; more of them make it worse. It
 * outlasts the window of a code, so that the code is given up instead of coming when nobody waits for it any more.
 */
const QUALITY_HOLD_MS = 15 * MINUTE_MS
/** A renewed token lets messages go at once; this is how often they look without being told. */
const CREDENTIALS_LOOK_MS = 15 * SECOND_MS
const JITTER = 0.25

export function afterAttempt(outcome: SendOutcome, context: AttemptContext): Next {
  switch (outcome.outcome) {
    case 'accepted':
      return { next: 'accepted', providerMessageId: outcome.providerMessageId }
    case 'unreachable':
      // Holds nothing: it tells of one connection, costs the provider nothing, and the next code may get through.
      return retry('PROVIDER_UNAVAILABLE', after(backOff(context.attempts), context))
    case 'unknown':
      return { next: 'unknown', dueAt: later(context.now, UNKNOWN_WAIT_MS), failureCode: 'PROVIDER_UNAVAILABLE' }
    case 'refused':
      return afterRefusal(outcome.error, context)
  }
}

function afterRefusal(error: ProviderError, context: AttemptContext): Next {
  switch (error.class) {
    case 'permanent':
      return { next: 'failed', failureCode: error.failureCode }
    case 'doubtful':
      if (context.attempts >= DOUBTFUL_ATTEMPTS_MOST) return { next: 'failed', failureCode: error.failureCode }
      return retry(error.failureCode, after(backOff(context.attempts), context))
    case 'transient':
      return afterFault(error, context)
    case 'credentials':
      return retry(error.failureCode, after(CREDENTIALS_LOOK_MS, context), { scope: 'credentials' })
    case 'rate':
      return afterRateError(error, context)
    case 'quality':
      return held(error, 'sender', after(QUALITY_HOLD_MS, context))
  }
}

/** The wait of the message grows by its own attempts as well: one that meets a fault alone must not hold all again and again. */
function afterFault(error: ProviderError, context: AttemptContext): Next {
  const dueAt = after(backOff(context.attempts), context)
  if (error.scope !== 'sender' && error.scope !== 'account') return retry(error.failureCode, dueAt)
  const until = after(backOff(context.holdStep + 1), context)
  return { ...held(error, error.scope, until), dueAt: notBefore(until, dueAt) }
}

function afterRateError(error: ProviderError, context: AttemptContext): Next {
  switch (error.scope) {
    case 'pair': {
      const delayMs = Math.min(SECOND_MS * PAIR_FACTOR ** (context.attempts - 1), LONGEST_RETRY_MS)
      return retry(error.failureCode, after(delayMs, context), { scope: 'pair' })
    }
    case 'account': {
      const delayMs = Math.min(ACCOUNT_HOLD_MS * 2 ** context.holdStep, LONGEST_ACCOUNT_HOLD_MS)
      return held(error, 'account', after(delayMs, context))
    }
    case 'sender':
    case 'template':
    case 'message':
      return held(error, 'sender', after(backOff(context.holdStep + 1), context))
  }
}

const backOff = (step: number): number => Math.min(FIRST_RETRY_MS * 2 ** (step - 1), LONGEST_RETRY_MS)

const after = (delayMs: number, { now, random }: AttemptContext): Date => later(now, delayMs * (1 + JITTER * random))

type Retry = Extract<Next, { next: 'retry' }>

const retry = (failureCode: FailureCode, dueAt: Date, hold: Hold | null = null): Retry => ({
  next: 'retry',
  dueAt,
  failureCode,
  hold,
})

const held = ({ failureCode, code }: ProviderError, scope: 'sender' | 'account', until: Date): Retry =>
  retry(failureCode, until, { scope, until, providerCode: code })
