import { betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import { Pool } from 'pg'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Parts } from '../parts.ts'
import type { Person } from './person.ts'
import { SESSION_MOST_MS } from './sessions.ts'

export const AUTH_PATH = '/dashboard/auth'

export const PASSWORD_CHARACTERS_LEAST = 12
export const PASSWORD_CHARACTERS_MOST = 128
/** Unused for this long, a session is over. */
const IDLE_MOST_MS = 7 * DAY_MS
/** How exactly it is known when a session was used last. */
const USE_NOTED_EVERY_MS = 10 * MINUTE_MS
/** Signing in is rare: what it asks must not take connections from the rest. */
const CONNECTIONS_MOST = 2
/** From one address, which a whole office may share. Seconds. */
const SIGN_INS = { window: 60, max: 30 }
const CODES = { window: 60, max: 30 }
const PASSWORD_CHANGES = { window: 60, max: 10 }
/** Of one account, over all challenges. Each challenge ends after five. */
export const WRONG_CODES_MOST = 10
export const WRONG_CODES_WAIT_MS = 15 * MINUTE_MS
/** Carries the address that the connection really came from; whatever a caller sends under this name is dropped. */
export const CLIENT_ADDRESS_HEADER = 'x-doorcode-client-address'

/** Passwords, sessions and second factors, kept by better-auth in the schema `auth`. */
export type AuthLibrary = {
  handle(request: Request): Promise<Response>
  findPerson(headers: Headers): Promise<FoundPerson>
  close(): Promise<void>
}

/** `cookies`: what the browser must be told, such as that its session goes on. */
export type FoundPerson = { person: Person | undefined; cookies: string[] }

type SignInParts = Pick<Parts, 'config' | 'seal' | 'db'>

export function openAuthLibrary(parts: SignInParts): AuthLibrary {
  const pool = new Pool({
    connectionString: parts.db.url,
    max: CONNECTIONS_MOST,
    options: '-c search_path=auth',
    application_name: 'doorcode sign-in',
  })
  pool.on('error', () => {}) // the next question opens another connection
  const auth = betterAuth(authOptions(pool, parts))
  return {
    handle: (request) => auth.handler(request),
    async findPerson(headers) {
      const { response: found, headers: answered } = await auth.api
        .getSession({ headers, returnHeaders: true })
        .catch(throwCause)
      const cookies = answered?.getSetCookie() ?? []
      if (!found || Date.now() - found.session.createdAt.getTime() > SESSION_MOST_MS)
        return { person: undefined, cookies }
      const { id, email, name } = found.user
      const twoFactor = 'twoFactorEnabled' in found.user && found.user.twoFactorEnabled === true
      return { person: { userId: id, email, name, twoFactor, sessionId: found.session.id }, cookies }
    },
    close: () => pool.end(),
  }
}

/** The library wraps a lost database into an error of its own, which says nothing of it. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause !== undefined ? error.cause : error
}

export const authOptions = (pool: Pool, { config: { publicUrl }, seal }: Pick<Parts, 'config' | 'seal'>) => ({
  database: pool,
  secret: seal.derive('dashboard sessions'),
  baseURL: publicUrl,
  basePath: AUTH_PATH,
  // Asked only after isFromOurPages found that the origin is the host that was asked, which may have several names.
  trustedOrigins: (request?: Request) => [request?.headers.get('origin') ?? publicUrl],
  telemetry: { enabled: false },
  logger: { disabled: true },
  onAPIError: { throw: true },
  emailAndPassword: {
    enabled: true,
    disableSignUp: true,
    minPasswordLength: PASSWORD_CHARACTERS_LEAST,
    maxPasswordLength: PASSWORD_CHARACTERS_MOST,
  },
  session: {
    expiresIn: IDLE_MOST_MS / SECOND_MS,
    updateAge: USE_NOTED_EVERY_MS / SECOND_MS,
    cookieCache: { enabled: false },
  },
  rateLimit: {
    enabled: true,
    storage: 'database' as const,
    customRules: { '/sign-in/*': SIGN_INS, '/two-factor/*': CODES, '/change-password': PASSWORD_CHANGES },
  },
  advanced: {
    cookiePrefix: 'doorcode',
    useSecureCookies: publicUrl.startsWith('https:'),
    ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
  },
  plugins: [
    twoFactor({
      issuer: 'Doorcode',
      accountLockout: { maxFailedAttempts: WRONG_CODES_MOST, durationSeconds: WRONG_CODES_WAIT_MS / SECOND_MS },
    }),
  ],
})
