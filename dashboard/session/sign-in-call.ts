import { useState } from 'react'
import { type SignInResponse, callSignIn, queryClient } from '../api.ts'
import { type T, useTexts } from '../texts/use-texts.ts'

/** A sign-in call with its error and pending state. */
export function useSignInCall(onSuccess: () => void = () => {}) {
  const { t } = useTexts()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const call = async (path: string, body: object): Promise<SignInResponse> => {
    setBusy(true)
    setProblem(undefined)
    const response = withCookieKept(await callSignIn(path, body))
    setBusy(false)
    if (response.ok) onSuccess()
    else setProblem(errorText(response, t))
    return response
  }
  return { problem, busy, call }
}

const TEST_COOKIE = '__Secure-doorcode.test=1'

/** Without TLS most browsers drop the secure cookies of a sign-in; some keep them if the page comes from the same machine. */
function withCookieKept(response: SignInResponse): SignInResponse {
  const { onlyAt } = response.body
  if (onlyAt === undefined || location.protocol === 'https:') return response
  document.cookie = `${TEST_COOKIE}; Secure; Path=/dashboard`
  return document.cookie.includes(TEST_COOKIE) ? response : { ...response, ok: false, code: 'NO_TLS' }
}

/** A call may change the session, its events and the second factor. */
export const useAccountCall = () => useSignInCall(() => void queryClient.invalidateQueries())

/** Text keys by the code of a sign-in call. */
const ERRORS = {
  INVALID_EMAIL_OR_PASSWORD: 'wrong',
  INVALID_EMAIL: 'wrong',
  INVALID_PASSWORD: 'wrong_password',
  PASSWORD_TOO_SHORT: 'too_short',
  PASSWORD_TOO_COMMON: 'too_common',
  PASSWORD_TOO_LONG: 'too_long',
  INVALID_CODE: 'wrong_code',
  INVALID_BACKUP_CODE: 'wrong_code',
  CODE_ALREADY_USED: 'used_code',
  INVALID_TWO_FACTOR_COOKIE: 'too_late',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'too_late',
  UNREACHABLE: 'unreachable',
  // a proxy forwards the host without its port, or another host
  OTHER_ORIGIN: 'other_origin',
  UNAUTHORIZED: 'signed_out',
} as const

const isKnown = (code: string): code is keyof typeof ERRORS => Object.hasOwn(ERRORS, code)

/** The error text of a sign-in call. */
export function errorText({ code = '', body }: Pick<SignInResponse, 'code' | 'body'>, t: T): string {
  if (code === 'WAIT')
    return t('page_session.errors_wait', { count: Math.ceil(Number(body['retryAfterSeconds'] ?? 60) / 60) })
  if (code === 'NO_TLS') return t('page_session.errors_no_tls', { url: String(body['onlyAt']) })
  return t(`page_session.errors_${isKnown(code) ? ERRORS[code] : 'unknown'}`)
}
