import type { SignInAnswer } from '../api.ts'
import type { sessionWords } from './words.ts'

type Refusals = (typeof sessionWords)['en']['refusals']

/** Codes of the sign-in calls, and which of our sentences says it. */
const SENTENCES: Readonly<Record<string, Exclude<keyof Refusals, 'wait'>>> = {
  INVALID_EMAIL_OR_PASSWORD: 'wrong',
  INVALID_EMAIL: 'wrong',
  INVALID_PASSWORD: 'wrongPassword',
  PASSWORD_TOO_SHORT: 'tooShort',
  PASSWORD_TOO_LONG: 'tooLong',
  INVALID_CODE: 'wrongCode',
  INVALID_BACKUP_CODE: 'wrongCode',
  INVALID_TWO_FACTOR_COOKIE: 'tooLate',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'tooLate',
  UNREACHABLE: 'unreachable',
  UNAUTHORIZED: 'signedOut',
}

/** Why a sign-in call said no, and what to do about it. */
export function refusalIn({ code = '', body }: Pick<SignInAnswer, 'code' | 'body'>, refusals: Refusals): string {
  if (code === 'WAIT') return refusals.wait(Math.ceil(Number(body['retryAfterSeconds'] ?? 60) / 60))
  return refusals[SENTENCES[code] ?? 'other']
}
