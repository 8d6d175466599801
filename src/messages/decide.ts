import { MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import type { FailureCode, ProviderError, SendOutcome } from '../providers/provider.ts'

/** What comes after an attempt (contract §7). Pure: randomness and time come in. */
export type Next =
  | { next: 'accepted'; providerMessageId: string }
  /** `hold`: nothing else goes through this scope before `dueAt` either. */
  | { next: 'retry'; dueAt: Date; failureCode: FailureCode; hold: 'pair' | 'sender' | 'account' | 'credentials' | null }
  | { next: 'failed'; failureCode: FailureCode }
  /** Nobody knows; a status report that carries our id may tell until `dueAt`. */
  | { next: 'unknown'; dueAt: Date; failureCode: FailureCode }

export type AttemptContext = {
  now: Date
  /** Of this message, this attempt included. */
  attempts: number
  /** How often the sender's or the account's rate was refused in a row. */
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
const ACCOUNT_HOLD_MS = MINUTE_MS
/** A renewed token lets messages go at once; this is how often they look without being told. */
const CREDENTIALS_LOOK_MS = 15 * SECOND_MS
const JITTER = 0.25

export function afterAttempt(outcome: SendOutcome, context: AttemptContext): Next {
  switch (outcome.outcome) {
    case 'accepted':
      return { next: 'accepted', providerMessageId: outcome.providerMessageId }
    case 'unreachable':
      return retry(backOff(context.attempts), 'PROVIDER_UNAVAILABLE', null, context)
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
      return retry(backOff(context.attempts), error.failureCode, null, context)
    case 'transient':
      return retry(backOff(context.attempts), error.failureCode, null, context)
    case 'credentials':
      return retry(CREDENTIALS_LOOK_MS, error.failureCode, 'credentials', context)
    case 'rate':
      return afterRateError(error, context)
  }
}

function afterRateError(error: ProviderError, context: AttemptContext): Next {
  switch (error.scope) {
    case 'pair':
      return retry(
        Math.min(SECOND_MS * PAIR_FACTOR ** (context.attempts - 1), LONGEST_RETRY_MS),
        error.failureCode,
        'pair',
        context,
      )
    case 'account':
      return retry(ACCOUNT_HOLD_MS, error.failureCode, 'account', context)
    case 'sender':
    case 'template':
    case 'message':
      return retry(backOff(context.holdStep + 1), error.failureCode, 'sender', context)
  }
}

const backOff = (step: number): number => Math.min(FIRST_RETRY_MS * 2 ** (step - 1), LONGEST_RETRY_MS)

const retry = (
  delayMs: number,
  failureCode: FailureCode,
  hold: 'pair' | 'sender' | 'account' | 'credentials' | null,
  { now, random }: AttemptContext,
): Next => ({ next: 'retry', dueAt: later(now, delayMs * (1 + JITTER * random)), failureCode, hold })
