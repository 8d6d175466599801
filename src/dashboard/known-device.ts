import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DAY_MS, SECOND_MS } from '../clock.ts'

/**
 * A browser that somebody has signed in from before carries a cookie of it. Its attempts are counted apart: whoever tries
 * passwords of an account from elsewhere makes it wait there, and does not lock its owner out.
 */
export type KnownDevices = {
  /** The browser's own mark when it has signed in with this address before. */
  find(cookies: string | null, email: string): string | undefined
  /** The Set-Cookie header that marks it from now on. */
  mark(email: string): string
}

const MARK_BYTES = 16
const REMEMBERED_DAYS = 180

export function knownDevices({ secret, secure }: { secret: string; secure: boolean }): KnownDevices {
  const name = `${secure ? '__Secure-' : ''}doorcode.device`
  const signature = (mark: string, email: string): Buffer =>
    createHmac('sha256', secret).update(`${mark}\0${email}`).digest()
  return {
    find(cookies, email) {
      const value = valueOf(cookies, name)
      const [mark = '', signed = ''] = value?.split('.') ?? []
      const [given, right] = [Buffer.from(signed, 'base64url'), signature(mark, email)]
      return mark !== '' && given.length === right.length && timingSafeEqual(given, right) ? mark : undefined
    },
    mark(email) {
      const mark = randomBytes(MARK_BYTES).toString('base64url')
      const value = `${mark}.${signature(mark, email).toString('base64url')}`
      const maxAge = (REMEMBERED_DAYS * DAY_MS) / SECOND_MS
      return `${name}=${value}; Max-Age=${maxAge}; Path=/dashboard/auth; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    },
  }
}

const valueOf = (cookies: string | null, name: string): string | undefined =>
  cookies
    ?.split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
