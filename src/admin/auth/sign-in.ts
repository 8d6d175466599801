import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookies } from 'better-auth/cookies'
import { z } from 'zod'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import type { AuditAction } from '../audit/actions.ts'
import { audit } from '../audit/audit.ts'
import {
  AUTH_PATH,
  type AuthParts,
  CLIENT_ADDRESS_HEADER,
  LOCKOUT_MS,
  MIN_PASSWORD_CHARACTERS,
  openAuthLibrary,
} from './auth.ts'
import type { CallState } from './call-hooks.ts'
import { isCommonPassword } from './common-password.ts'
import { type Person, type User, endChallenges, findPersonByEmail, normalizeEmail } from './person.ts'
import { beginAttempt, deleteAttemptsOf, rowOf, rowOfMadeUpAddress } from './sign-in-attempts.ts'

/** A call of the sign-in library that is open to the outside. */
type AuthCall = {
  /** The members of the body that are passed to the library, all strings. */
  takes: readonly string[]
  adds?: Readonly<Record<string, boolean>>
  /** The members of the library's answer that are returned. Never the session token, which only the cookie may hold. */
  gives?: readonly string[]
  /** Counts wrong passwords for the address that signs in, or for the signed-in person. */
  counts?: 'address' | 'person'
  /** Ends sign-ins that passed with the old password and wait for their second factor. */
  endsChallenges?: true
  /** The action in the audit log after a success. */
  records?: AuditAction
}

const PASSWORD_PATH = '/sign-in/email'
const TOTP_PATH = '/two-factor/verify-totp'

/** Only the calls that our pages make. */
export const authCalls: Readonly<Record<string, AuthCall>> = {
  [PASSWORD_PATH]: { takes: ['email', 'password'], gives: ['twoFactorRedirect'], counts: 'address' },
  '/sign-out': { takes: [] },
  '/change-password': {
    takes: ['currentPassword', 'newPassword'],
    adds: { revokeOtherSessions: true },
    counts: 'person',
    endsChallenges: true,
    records: 'person.password_changed',
  },
  '/two-factor/enable': { takes: ['password'], gives: ['totpURI', 'backupCodes'], counts: 'person' },
  '/two-factor/disable': { takes: ['password'], counts: 'person', records: 'person.second_factor_off' },
  '/two-factor/generate-backup-codes': {
    takes: ['password'],
    gives: ['backupCodes'],
    counts: 'person',
    records: 'person.backup_codes_renewed',
  },
  [TOTP_PATH]: { takes: ['code'] },
  '/two-factor/verify-backup-code': { takes: ['code'] },
}

export function openSignIn(parts: AuthParts) {
  const { config, db, seal } = parts
  const secure = config.publicUrl.startsWith('https:')
  const devices = createTrustedDevices({ seal, secure })
  const library = openAuthLibrary(parts)

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(AUTH_PATH.length)
    const call = request.method === 'POST' && Object.hasOwn(authCalls, path) ? authCalls[path] : undefined
    if (!call) return new Response('There is no such call.', { status: 404 })
    const input = await readBody(request, call)
    if (!input) return json(400, { code: 'INVALID_BODY', message: 'The request body lacks a required member.' })
    if (input['newPassword'] !== undefined && isTooCommon(input['newPassword']))
      return json(400, { code: 'PASSWORD_TOO_COMMON', message: 'The new password is easy to guess.' })
    const { headers } = request
    const { person } = await library.findPerson(headers)
    if (call.counts === 'person' && !person)
      return json(401, { code: 'UNAUTHORIZED', message: 'You are not signed in.' })

    const email = normalizeEmail(input['email'] ?? '')
    /** Undefined for an address without an account. */
    const counted: User | undefined = call.counts === 'address' ? await findPersonByEmail(db, email) : person
    // A trusted device has its own count.
    const device = devices.find(headers.get('cookie'), email)
    const rows = {
      address() {
        if (device !== undefined) return rowOf(`sign-in\0${email}\0${device}`)
        return counted ? rowOf(`sign-in of\0${counted.userId}`) : rowOfMadeUpAddress(seal, email)
      },
      person: () => rowOf(`password of\0${counted?.userId}`),
    }
    const row = call.counts && rows[call.counts]()
    const state: CallState = { ...(row && { begin: () => beginAttempt(parts, row) }) }
    // The library looks up the address that is counted.
    const forwarded = JSON.stringify({ ...input, ...('email' in input && { email }), ...call.adds })
    const response = await library.handle(new Request(request.url, { method: 'POST', headers, body: forwarded }), state)
    if (state.attempt?.granted === false) return tooManyAttempts(state.attempt.waitMs)
    const body = await bodyOf(response)
    if (!response.ok) {
      const paused = state.attempt?.isLast ? counted : state.locked
      if (paused) await record(parts, request, { user: paused, action: 'person.sign_in_paused' })
      return errorResponse(response, body)
    }
    if (row) await deleteAttemptsOf(db, row)
    if (call.endsChallenges && person) await endChallenges(db, person.userId)
    const cookies = response.headers.getSetCookie()
    const isPassword = path === PASSWORD_PATH
    const signedIn = signedInUser(path, body, person)
    const action = path === TOTP_PATH && !person?.twoFactor ? 'person.second_factor_on' : call.records
    if (signedIn) {
      const withSecondFactor = !isPassword
      await record(parts, request, { user: signedIn, action: 'person.signed_in', more: { withSecondFactor } })
      cookies.push(devices.createCookie(signedIn.email))
    } else if (person && action) await record(parts, request, { user: person, action })
    const given = Object.fromEntries((call.gives ?? []).map((name) => [name, body[name]]))
    // Elsewhere the browser may drop secure cookies, which only the page can find out.
    return json(200, { ...given, ...(isPassword && secure && { onlyAt: config.publicUrl }) }, cookies)
  }

  return {
    answer,
    findPerson: (headers: Headers) => library.findPerson(headers),
    /** Without extending the session. */
    findViewer: async (headers: Headers) => (await library.findPerson(headers, { disableRefresh: true })).person,
    close: () => library.close(),
  }
}

/** The library reports a shorter password. */
const isTooCommon = (password: string): boolean =>
  password.length >= MIN_PASSWORD_CHARACTERS && isCommonPassword(password)

async function readBody(request: Request, { takes }: AuthCall): Promise<Record<string, string> | undefined> {
  const schema = z.object(Object.fromEntries(takes.map((name) => [name, z.string()])))
  return schema.safeParse(await request.json().catch(() => ({}))).data
}

type Body = Readonly<Record<string, unknown>>

const bodyOf = async (response: Response): Promise<Body> =>
  z.looseObject({}).safeParse(await response.json().catch(() => ({}))).data ?? {}

/** The user whom the call signed in; undefined while a second factor is missing. */
function signedInUser(path: string, { user }: Body, person: Person | undefined): User | undefined {
  const signsIn = path === PASSWORD_PATH || (path.startsWith('/two-factor/verify') && !person)
  const { data } = z.object({ id: z.string(), email: z.string() }).safeParse(user)
  return signsIn && data ? { userId: data.id, email: data.email } : undefined
}

const ID_BYTES = 16
const REMEMBERED_DAYS = 180

/**
 * A browser that has signed in carries a signed cookie, and its attempts are counted separately: an attacker who guesses
 * passwords from elsewhere does not lock out the owner.
 */
export function createTrustedDevices({ seal, secure }: Pick<AuthParts, 'seal'> & { secure: boolean }) {
  const name = `${secure ? '__Secure-' : ''}doorcode.device`
  const sign = (id: string, email: string): Buffer =>
    createHmac('sha256', seal.signInSecret()).update(`device\0${id}\0${email}`).digest()
  return {
    /** The id of a browser that has signed in with this address before. */
    find(cookies: string | null, email: string): string | undefined {
      const [id = '', signature = ''] =
        parseCookies(cookies ?? '')
          .get(name)
          ?.split('.') ?? []
      const [actual, expected] = [Buffer.from(signature, 'base64url'), sign(id, email)]
      return id !== '' && actual.length === expected.length && timingSafeEqual(actual, expected) ? id : undefined
    },
    /** The Set-Cookie header for a new trusted browser. */
    createCookie(email: string): string {
      const id = randomBytes(ID_BYTES).toString('base64url')
      const value = `${id}.${sign(id, email).toString('base64url')}`
      const maxAge = (REMEMBERED_DAYS * DAY_MS) / SECOND_MS
      return `${name}=${value}; Max-Age=${maxAge}; Path=/dashboard/auth; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    },
  }
}

const MAX_DEVICE_CHARACTERS = 200

/** Records an event of an account, with the request's address and device. */
async function record(
  { db, clock }: AuthParts,
  { headers }: Request,
  { user, action, more }: { user: User; action: AuditAction; more?: object },
): Promise<void> {
  const { userId, email } = user
  const device = headers.get('user-agent')?.slice(0, MAX_DEVICE_CHARACTERS) ?? null
  const after = { address: headers.get(CLIENT_ADDRESS_HEADER), device, ...more }
  const by = { actor: { userId, who: email }, at: clock.now() }
  await audit(db, by, { workspaceId: null, action, target: email, after })
}

/** Returns the library's error code, which the pages translate. */
function errorResponse(response: Response, body: Body): Response {
  const code = typeof body['code'] === 'string' ? body['code'] : response.status === 429 ? 'WAIT' : 'REJECTED'
  if (code === 'ACCOUNT_TEMPORARILY_LOCKED') return tooManyAttempts(LOCKOUT_MS)
  const waitSeconds = Number(response.headers.get('x-retry-after'))
  if (response.status === 429) return tooManyAttempts(waitSeconds * SECOND_MS)
  const message = typeof body['message'] === 'string' ? body['message'] : 'The request was rejected.'
  return json(response.status, { code, message }, response.headers.getSetCookie())
}

function tooManyAttempts(waitMs: number): Response {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  const message = `Too many attempts. Try again in ${retryAfterSeconds} seconds.`
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return Response.json({ code: 'WAIT', message, retryAfterSeconds }, { status: 429, headers })
}

const json = (status: number, body: object, cookies: readonly string[] = []): Response =>
  Response.json(body, { status, headers: cookies.map((cookie): [string, string] => ['set-cookie', cookie]) })
