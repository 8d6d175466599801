import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { TRPCClientError, createTRPCClient, httpLink } from '@trpc/client'
import { inEnglish } from '../../locales/resources.ts'
import type { CodedText } from '../../locales/text.ts'
import { DAY_MS, later } from '../../src/lib/clock.ts'
import type { CodSettings } from '../../src/cod/settings/settings.ts'
import { createTrustedDevices } from '../../src/admin/auth/sign-in.ts'
import { createPerson, hashPassword } from '../../src/admin/auth/person.ts'
import type { MemberRole } from '../../src/admin/auth/members.ts'
import type { DashboardRouter } from '../../src/admin/router.ts'
import type { World } from './world.ts'

export const PASSWORD = 'correct horse battery'

/** A person with a session on the world's first node. */
export type SignedIn = {
  userId: string
  email: string
  cookie: string
  /** Typed calls as the pages make them. */
  calls: ReturnType<typeof createCalls>
}

let people = 0

/** A role in the world's workspace. `operator` runs the instance; `stranger` belongs to no workspace. */
type MemberOptions = MemberRole | 'operator' | 'stranger'

/** A new person with a session. */
export async function signIn(world: World, as: MemberOptions): Promise<SignedIn> {
  const { userId, email } = await newPerson(world, as)
  const cookie = await sessionOf(world, { userId, email })
  return { userId, email, cookie, calls: createCalls(world.first.url, cookie) }
}

/** A new person who signs in over HTTP, with all side effects of a sign-in. */
export async function signInWithPassword(world: World, as: MemberOptions): Promise<SignedIn> {
  const { userId, email } = await newPerson(world, as)
  await world.query('delete from auth."rateLimit"') // all tests of a file come from one address
  const cookie = await fetchSessionCookie(world.first.url, { email, password: PASSWORD })
  return { userId, email, cookie, calls: createCalls(world.first.url, cookie) }
}

async function newPerson(world: World, role: MemberOptions): Promise<{ userId: string; email: string }> {
  people += 1
  const email = `${role}-${people}-${process.pid}@shop.example`
  const { userId } = await createPerson(world.parts.db, {
    email,
    name: `The ${role}`,
    passwordHash: await hashPassword(PASSWORD),
    at: new Date(),
  })
  if (role === 'operator') await world.query('insert into operators (user_id) values ($1)', [userId])
  else if (role !== 'stranger') {
    await world.query('insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())', [
      world.workspaceId,
      userId,
      role,
    ])
  }
  return { userId, email }
}

/**
 * The cookies of a sign-in, without its calls, which dashboard-sign-in.test.ts covers.
 */
async function sessionOf(world: World, who: { userId: string; email: string }): Promise<string> {
  const { seal } = world.parts
  const token = randomBytes(16).toString('hex')
  const now = new Date()
  await world.query(
    `insert into auth."session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent")
     values ($1, $1, $2, $3, $4, $4, '127.0.0.1', 'node')`,
    [token, who.userId, later(now, 7 * DAY_MS), now],
  )
  const signature = createHmac('sha256', seal.signInSecret()).update(token).digest('base64')
  const device = createTrustedDevices({ seal, secure: false }).createCookie(who.email)
  return `doorcode.session_token=${encodeURIComponent(`${token}.${signature}`)}; ${device.split(';')[0]}`
}

/** Signs in over HTTP; must succeed. */
export async function fetchSessionCookie(url: string, who: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${url}/dashboard/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(who),
  })
  assert.equal(answer.status, 200, await answer.text())
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

/** Typed calls with or without a session cookie. */
export const createCalls = (url: string, cookie?: string) =>
  createTRPCClient<DashboardRouter>({
    links: [
      httpLink({
        url: `${url}/dashboard/calls`,
        headers: { origin: url, ...(cookie && { cookie }) },
        methodOverride: 'POST',
      }),
    ],
  })

export const saveCodSettings = (
  { workspaceId }: World,
  { calls }: SignedIn,
  settings: unknown,
  basedOn: string | null,
) => calls.codSettings.save.mutate({ workspaceId, settings: settings as CodSettings, basedOn })

export const getCodSettings = ({ workspaceId }: World, { calls }: SignedIn) =>
  calls.codSettings.get.query({ workspaceId })

/** The faults of a rejected form, by field. */
export async function faultsOf(call: Promise<unknown>): Promise<Record<string, string>> {
  const error = await call.then(
    () => assert.fail('the form was taken'),
    (rejected: unknown) => rejected,
  )
  assert.ok(error instanceof TRPCClientError)
  const { faults } = error.data as { faults: { path: string; text: CodedText }[] }
  return Object.fromEntries(faults.map(({ path, text }) => [path, inEnglish(text)]))
}

/** For `assert.rejects`. */
export const rejectedAs = (code: string) => (error: unknown) =>
  error instanceof TRPCClientError && (error.data as { code: string }).code === code
