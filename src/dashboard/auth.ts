import { betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import { Pool } from 'pg'
import type { Parts } from '../parts.ts'
import type { Person } from './trpc.ts'

export const AUTH_PATH = '/dashboard/auth'

export const PASSWORD_CHARACTERS_LEAST = 12
const SESSION_SECONDS = 7 * 24 * 3600
/** Signing in is rare: what it asks must not take connections from the rest. */
const CONNECTIONS_MOST = 2
/** From one address, which a whole office may share. Seconds. */
const SIGN_INS = { window: 60, max: 30 }
/** Carries the address that the connection really came from; whatever a caller sends under this name is dropped. */
export const CLIENT_ADDRESS_HEADER = 'x-doorcode-client-address'

/** Passwords, sessions and second factors, kept by better-auth in the schema `auth`. */
export type SignIn = {
  handle(request: Request): Promise<Response>
  findPerson(headers: Headers): Promise<Person | undefined>
  /** An account with a password, for whoever holds a link. The address must be free. */
  createPerson(person: { email: string; name: string; password: string }): Promise<{ userId: string }>
  close(): Promise<void>
}

export function openSignIn({ config, seal, db }: Pick<Parts, 'config' | 'seal' | 'db'>): SignIn {
  const pool = new Pool({
    connectionString: db.url,
    max: CONNECTIONS_MOST,
    options: '-c search_path=auth',
    application_name: 'doorcode sign-in',
  })
  pool.on('error', () => {}) // the next question opens another connection
  const auth = makeAuth(pool, { secret: seal.derive('dashboard sessions'), publicUrl: config.publicUrl })
  return {
    handle: (request) => auth.handler(request),
    async findPerson(headers) {
      const found = await auth.api.getSession({ headers })
      if (!found) return undefined
      const { id, email, name, twoFactorEnabled } = found.user
      return { userId: id, email, name, twoFactor: twoFactorEnabled === true }
    },
    async createPerson({ email, name, password }) {
      const { internalAdapter, password: passwords } = await auth.$context
      const user = await internalAdapter.createUser(
        { email: email.toLowerCase(), name, emailVerified: true },
        { method: 'email-password' },
      )
      await internalAdapter.linkAccount({
        userId: user.id,
        accountId: user.id,
        providerId: 'credential',
        password: await passwords.hash(password),
      })
      return { userId: user.id }
    },
    close: () => pool.end(),
  }
}

const makeAuth = (pool: Pool, { secret, publicUrl }: { secret: string; publicUrl: string }) =>
  betterAuth({
    database: pool,
    secret,
    baseURL: publicUrl,
    basePath: AUTH_PATH,
    // Asked only after isFromOurPages found that the origin is the host that was asked, which may have several names.
    trustedOrigins: (request) => [request?.headers.get('origin') ?? publicUrl],
    telemetry: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: PASSWORD_CHARACTERS_LEAST },
    session: { expiresIn: SESSION_SECONDS, cookieCache: { enabled: false } },
    rateLimit: { enabled: true, storage: 'database', customRules: { '/sign-in/*': SIGN_INS } },
    advanced: {
      cookiePrefix: 'doorcode',
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
    plugins: [twoFactor({ issuer: 'Doorcode' })],
  })
