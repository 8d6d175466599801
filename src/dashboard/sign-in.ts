import { z } from 'zod'
import { SECOND_MS } from '../clock.ts'
import type { Parts } from '../parts.ts'
import { type Attempt, beginAttempt, forgetAttempts } from './attempts.ts'
import { type Change, audit } from './audit.ts'
import {
  AUTH_PATH,
  type AuthLibrary,
  CLIENT_ADDRESS_HEADER,
  type FoundPerson,
  WRONG_CODES_WAIT_MS,
  openAuthLibrary,
} from './auth.ts'
import { type KnownDevices, knownDevices } from './known-device.ts'
import { type Person, findPersonByEmail, normalEmail } from './person.ts'
import { endChallenges } from './sessions.ts'

/** What of the sign-in library can be reached: everything that our pages use, and nothing else. */
type AuthCall = {
  /** The members of the body that go through, all of them texts. */
  takes: readonly string[]
  /** What goes through as well, whatever the caller sends. */
  adds?: Readonly<Record<string, boolean>>
  /** The members of the answer that come back. The session's token is in none of them: it is the cookie's alone. */
  gives?: readonly string[]
  /** Whose wrong passwords are counted: those of the address that is signed in with, or of who is signed in. */
  counts?: 'address' | 'person'
  /** Whoever is half signed in with the password before must begin anew. */
  endsChallenges?: true
  /** What is written into the audit log when it went well. */
  records?: string
}

const PASSWORD_PATH = '/sign-in/email'

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
  '/two-factor/verify-totp': { takes: ['code'] },
  '/two-factor/verify-backup-code': { takes: ['code'] },
}

export type SignIn = {
  /** Undefined: there is no such call. */
  handle(request: Request): Promise<Response | undefined>
  findPerson(headers: Headers): Promise<FoundPerson>
  close(): Promise<void>
}

type SignInParts = Pick<Parts, 'config' | 'seal' | 'db' | 'clock'>

type Tools = { parts: SignInParts; library: AuthLibrary; devices: KnownDevices }

export function openSignIn(parts: SignInParts): SignIn {
  const { config, seal } = parts
  const secure = config.publicUrl.startsWith('https:')
  const devices = knownDevices({ secret: seal.derive('known devices'), secure })
  const library = openAuthLibrary(parts)
  return {
    async handle(request) {
      const path = new URL(request.url).pathname.slice(AUTH_PATH.length)
      const call = request.method === 'POST' && Object.hasOwn(authCalls, path) ? authCalls[path] : undefined
      return call && answer({ parts, library, devices }, { request, path, call })
    },
    findPerson: (headers) => library.findPerson(headers),
    close: () => library.close(),
  }
}

type Asked = { request: Request; path: string; call: AuthCall }

async function answer(tools: Tools, { request, path, call }: Asked): Promise<Response> {
  const { parts, library, devices } = tools
  const given = await readBody(request, call)
  if (!given) return problem(400, 'INVALID_BODY', 'The request lacks what it needs.')
  const before = await library.findPerson(request.headers)
  if (call.counts === 'person' && !before.person) return problem(401, 'UNAUTHORIZED', 'You are not signed in.')

  const email = normalEmail(given['email'] ?? '')
  const account = accountOf(call, { email, person: before.person, mark: devices.find(cookiesOf(request), email) })
  const attempt: Attempt = account ? await beginAttempt(parts, account) : { granted: true, isLast: false }
  if (!attempt.granted) return mustWait(attempt.waitMs)

  const response = await library.handle(libraryRequest(request, { ...given, ...call.adds }))
  const body = await bodyOf(response)
  if (!response.ok) {
    if (attempt.isLast && response.status === 401) await recordPause(parts, email, request)
    return refused(response, body)
  }
  if (account) await forgetAttempts(parts.db, account)
  if (call.endsChallenges && before.person) await endChallenges(parts.db, before.person.userId)
  const signedIn = signedInBy(path, body, before.person)
  await record(parts, { path, call, request, person: before.person, signedIn })
  const cookies = response.headers.getSetCookie()
  if (signedIn) cookies.push(devices.mark(signedIn.email))
  return json(200, Object.fromEntries((call.gives ?? []).map((name) => [name, body[name]])), cookies)
}

const BODY_BYTES_MOST = 4_096

async function readBody(request: Request, { takes }: AuthCall): Promise<Record<string, string> | undefined> {
  const text = await request.text()
  if (text.length > BODY_BYTES_MOST) return undefined
  const schema = z.object(Object.fromEntries(takes.map((name) => [name, z.string()])))
  const outcome = schema.safeParse(parsed(text) ?? {})
  return outcome.success ? outcome.data : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const cookiesOf = (request: Request): string | null => request.headers.get('cookie')

type Counted = { email: string; person: Person | undefined; mark: string | undefined }

/** A browser that the account's owner signed in from before is counted apart from the rest of the world. */
function accountOf({ counts }: AuthCall, { email, person, mark }: Counted): string | undefined {
  if (counts === 'address') return mark === undefined ? `sign-in\0${email}` : `sign-in\0${email}\0${mark}`
  return counts === 'person' && person ? `password of\0${person.userId}` : undefined
}

/** The same request with nothing in its body but what the call takes. */
function libraryRequest(request: Request, body: object): Request {
  const headers = new Headers(request.headers)
  headers.delete('content-length')
  return new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) })
}

type Body = Readonly<Record<string, unknown>>

async function bodyOf(response: Response): Promise<Body> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? (body as Body) : {}
}

/** Who became signed in by the call: not after a password that a second factor must still follow. */
function signedInBy(path: string, body: Body, before: Person | undefined): { id: string; email: string } | undefined {
  const signsIn = path === PASSWORD_PATH || (path.startsWith('/two-factor/verify') && !before)
  const outcome = z.object({ user: z.object({ id: z.string(), email: z.string() }) }).safeParse(body)
  return signsIn && outcome.success ? outcome.data.user : undefined
}

type Done = {
  path: string
  call: AuthCall
  request: Request
  person: Person | undefined
  signedIn: { id: string; email: string } | undefined
}

async function record(parts: SignInParts, { path, call, request, person, signedIn }: Done): Promise<void> {
  if (signedIn) {
    const after = { ...placeOf(request), withSecondFactor: path !== PASSWORD_PATH }
    await recordOf(parts, signedIn, { action: 'person.signed_in', after })
  } else if (person) {
    const turnedOn = path === '/two-factor/verify-totp' && !person.twoFactor
    const action = turnedOn ? 'person.second_factor_on' : call.records
    if (action) await recordOf(parts, { id: person.userId, email: person.email }, { action, after: placeOf(request) })
  }
}

/** Of whom the account is: nothing is written of addresses that are nobody's. */
async function recordPause(parts: SignInParts, email: string, request: Request): Promise<void> {
  const person = await findPersonByEmail(parts.db, email)
  if (!person) return
  const change = { action: 'person.sign_in_paused', after: placeOf(request) }
  await recordOf(parts, { id: person.userId, email: person.email }, change)
}

async function recordOf(
  { db, clock }: SignInParts,
  { id, email }: { id: string; email: string },
  { action, after }: Pick<Change, 'action' | 'after'>,
): Promise<void> {
  const by = { actor: { userId: id, who: email }, at: clock.now() }
  await audit(db, by, { workspaceId: null, action, target: email, after: after ?? null })
}

const DEVICE_CHARACTERS_MOST = 200

const placeOf = ({ headers }: Request): { address: string | null; device: string | null } => ({
  address: headers.get(CLIENT_ADDRESS_HEADER),
  device: headers.get('user-agent')?.slice(0, DEVICE_CHARACTERS_MOST) ?? null,
})

/** The library's own words go on as a code, which the pages have words for in each language. */
function refused(response: Response, body: Body): Response {
  const code = typeof body['code'] === 'string' ? body['code'] : response.status === 429 ? 'WAIT' : 'REFUSED'
  if (code === 'ACCOUNT_TEMPORARILY_LOCKED') return mustWait(WRONG_CODES_WAIT_MS)
  const waitSeconds = Number(response.headers.get('x-retry-after'))
  if (response.status === 429) return mustWait(waitSeconds * SECOND_MS)
  const message = typeof body['message'] === 'string' ? body['message'] : 'This was refused.'
  return json(response.status, { code, message }, response.headers.getSetCookie())
}

function mustWait(waitMs: number): Response {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  const message = `There were too many attempts. Try again in ${retryAfterSeconds} seconds.`
  const response = json(429, { code: 'WAIT', message, retryAfterSeconds })
  response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}

const problem = (status: number, code: string, message: string): Response => json(status, { code, message })

function json(status: number, body: object, cookies: readonly string[] = []): Response {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(JSON.stringify(body), { status, headers })
}
