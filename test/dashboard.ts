import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { createTRPCClient, httpLink } from '@trpc/client'
import { DAY_MS, later } from '../src/clock.ts'
import { knownDevices } from '../src/dashboard/known-device.ts'
import { createPerson } from '../src/dashboard/person.ts'
import type { MemberRole } from '../src/dashboard/roles.ts'
import type { DashboardRouter } from '../src/dashboard/router.ts'
import type { World } from './world.ts'

export const PASSWORD = 'correct horse battery'

/** Somebody who is signed in to the dashboard of the world's first node. */
export type SignedIn = {
  userId: string
  email: string
  cookie: string
  /** The dashboard's calls as the pages make them. */
  calls: ReturnType<typeof callsOf>
}

/** What hashPassword(PASSWORD) gave once: it is slow on purpose. */
const PASSWORD_HASH =
  '342a06279a3d7f6c5a61973b2429fc96:3c44750e56453ed3061f532aa79b0adf976ef2438a4e10786d5eccfed4cbb61b8992f2215a84907925640de9707b64d6344da48eaee9e47528fc512e51e3fcb5'

let people = 0

/** In the world's workspace; `operator` runs the instance, `stranger` belongs to none. */
type Standing = MemberRole | 'operator' | 'stranger'

/** A new person, who has a session. */
export async function signedIn(world: World, as: Standing): Promise<SignedIn> {
  const { userId, email } = await newPerson(world, as)
  const cookie = await sessionOf(world, { userId, email })
  return { userId, email, cookie, calls: callsOf(world.first.url, cookie) }
}

/** A new person who came the long way, over HTTP: with all that a sign-in leaves behind. */
export async function signedInByPassword(world: World, as: Standing): Promise<SignedIn> {
  const { userId, email } = await newPerson(world, as)
  await world.ask('delete from auth."rateLimit"') // all tests of a file come from one address
  const cookie = await cookieOf(world.first.url, { email, password: PASSWORD })
  return { userId, email, cookie, calls: callsOf(world.first.url, cookie) }
}

async function newPerson(world: World, role: Standing): Promise<{ userId: string; email: string }> {
  people += 1
  const email = `${role}-${people}-${process.pid}@shop.example`
  const { userId } = await createPerson(world.parts.db, {
    email,
    name: `The ${role}`,
    passwordHash: PASSWORD_HASH,
    at: new Date(),
  })
  if (role === 'operator') await world.ask('insert into operators (user_id) values ($1)', [userId])
  else if (role !== 'stranger') {
    await world.ask('insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())', [
      world.workspaceId,
      userId,
      role,
    ])
  }
  return { userId, email }
}

/**
 * What a browser holds after a sign-in, without the slow one: how people sign in is for dashboard-sign-in.test.ts to
 * guarantee, and the others begin where it ends.
 */
async function sessionOf(world: World, who: { userId: string; email: string }): Promise<string> {
  const { seal } = world.parts
  const token = randomBytes(16).toString('hex')
  const now = new Date()
  await world.ask(
    `insert into auth."session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent")
     values ($1, $1, $2, $3, $4, $4, '127.0.0.1', 'node')`,
    [token, who.userId, later(now, 7 * DAY_MS), now],
  )
  const signature = createHmac('sha256', seal.derive('dashboard sessions')).update(token).digest('base64')
  const device = knownDevices({ secret: seal.derive('known devices'), secure: false }).mark(who.email)
  return `doorcode.session_token=${encodeURIComponent(`${token}.${signature}`)}; ${device.split(';')[0]}`
}

/** Signs in over HTTP; must succeed. */
export async function cookieOf(url: string, who: { email: string; password: string }): Promise<string> {
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

/** Calls with a cookie, or as nobody. */
export const callsOf = (url: string, cookie?: string) =>
  createTRPCClient<DashboardRouter>({
    links: [httpLink({ url: `${url}/dashboard/calls`, headers: { origin: url, ...(cookie && { cookie }) } })],
  })
