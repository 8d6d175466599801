import { betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins/two-factor' // `better-auth/plugins` loads all of them: 60 ms per start
import type { Pool } from 'pg'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { openPool } from '../../lib/db/connection.ts'
import { MAX_LOCK_WAIT_MS, NEEDED_SETTINGS, STATEMENT_TIMEOUT_MS } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import { MAX_SESSION_MS, type Person } from './person.ts'
import { type CallState, MAX_WRONG_CODES, createCallHooks } from './call-hooks.ts'

export const AUTH_PATH = '/dashboard/auth'

export const MIN_PASSWORD_CHARACTERS = 12
export const MAX_PASSWORD_CHARACTERS = 128
/** A session ends after this time without use. */
const MAX_IDLE_MS = 7 * DAY_MS
/** The precision of a session's last use. */
const SESSION_UPDATE_INTERVAL_MS = 10 * MINUTE_MS
/** Signing in is rare, and must not take connections from the rest. */
const MAX_CONNECTIONS = 2
const QUERY_TIMEOUT_MS = 5_000
/** For each IP address, which a whole office may share; windows in seconds. */
const RATE_LIMITS = {
  '/sign-in/*': { window: 60, max: 30 },
  '/two-factor/*': { window: 60, max: 30 },
  '/change-password': { window: 60, max: 10 },
}
export const LOCKOUT_MS = 15 * MINUTE_MS
/** The connection's real address. The server overwrites what a client sends in this header. */
export const CLIENT_ADDRESS_HEADER = 'x-doorcode-client-address'

export type AuthParts = Pick<Parts, 'config' | 'seal' | 'db' | 'clock' | 'metrics'>

/** Passwords, sessions and second factors, stored by better-auth in the schema `auth`. */
export function openAuthLibrary(parts: AuthParts) {
  const pool = openPool({
    connectionString: parts.db.url,
    max: MAX_CONNECTIONS,
    sessionSettings: {
      search_path: 'auth',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: MAX_LOCK_WAIT_MS,
      ...NEEDED_SETTINGS,
    },
    application_name: 'doorcode sign-in',
    responseTimeoutMs: QUERY_TIMEOUT_MS,
    watch: parts.metrics.watchPool('sign_in'),
  })
  pool.on('error', () => {}) // the next query opens another connection
  const { follow, hooks } = createCallHooks(parts)
  const open = () => ({
    secret: parts.seal.signInSecret(),
    library: betterAuth({ ...authOptions(pool, parts), hooks }),
  })
  let opened = open()
  /** Opened again after a rotation that replaced the secret. */
  const library = () => (opened.secret === parts.seal.signInSecret() ? opened : (opened = open())).library
  return {
    handle(request: Request, state: CallState): Promise<Response> {
      follow(request, state)
      return library().handler(request)
    },
    /** `cookies`: Set-Cookie headers of an extended session. */
    async findPerson(
      headers: Headers,
      { disableRefresh = false } = {},
    ): Promise<{ person: Person | undefined; cookies: string[] }> {
      const { response, headers: responseHeaders } = await library()
        .api.getSession({ headers, query: { disableRefresh }, returnHeaders: true })
        .catch(throwCause)
      const cookies = responseHeaders?.getSetCookie() ?? []
      if (!response || Date.now() - response.session.createdAt.getTime() > MAX_SESSION_MS)
        return { person: undefined, cookies }
      const { user, session } = response
      const twoFactor = 'twoFactorEnabled' in user && user.twoFactorEnabled === true
      const person = { userId: user.id, email: user.email, name: user.name, twoFactor, sessionId: session.id }
      return { person, cookies }
    },
    close: () => pool.end(),
  }
}

/** The library hides a lost database connection behind its own error. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause !== undefined ? error.cause : error
}

export const authOptions = (pool: Pool, { config: { publicUrl }, seal }: AuthParts) => ({
  database: pool,
  secret: seal.signInSecret(),
  baseURL: publicUrl,
  basePath: AUTH_PATH,
  // isSameOrigin has checked the origin already; the instance may have several host names.
  trustedOrigins: (request?: Request) => [request?.headers.get('origin') ?? publicUrl],
  telemetry: { enabled: false },
  logger: { disabled: true },
  onAPIError: { throw: true },
  emailAndPassword: {
    enabled: true,
    disableSignUp: true,
    minPasswordLength: MIN_PASSWORD_CHARACTERS,
    maxPasswordLength: MAX_PASSWORD_CHARACTERS,
  },
  session: {
    expiresIn: MAX_IDLE_MS / SECOND_MS,
    updateAge: SESSION_UPDATE_INTERVAL_MS / SECOND_MS,
    cookieCache: { enabled: false },
  },
  rateLimit: {
    enabled: true,
    storage: 'database' as const,
    customRules: RATE_LIMITS,
  },
  advanced: {
    database: { validateSchema: false }, // at each start; a test compares the two once
    cookiePrefix: 'doorcode',
    useSecureCookies: publicUrl.startsWith('https:'),
    ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
  },
  plugins: [
    twoFactor({
      issuer: 'Doorcode',
      accountLockout: { maxFailedAttempts: MAX_WRONG_CODES, durationSeconds: LOCKOUT_MS / SECOND_MS },
    }),
  ],
})
