import assert from 'node:assert/strict'
import { createTRPCClient, httpLink } from '@trpc/client'
import { createPerson, hashPassword } from '../src/dashboard/person.ts'
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

const hashedPassword = hashPassword(PASSWORD)

let people = 0

/** A new person with the role in the world's workspace; `operator` runs the instance; `stranger` belongs to none. */
export async function signedIn(world: World, role: MemberRole | 'operator' | 'stranger'): Promise<SignedIn> {
  people += 1
  const email = `${role}-${people}-${process.pid}@shop.example`
  const person = { email, name: `The ${role}`, passwordHash: await hashedPassword, at: new Date() }
  const { userId } = await createPerson(world.parts.db, person)
  if (role === 'operator') await world.ask('insert into operators (user_id) values ($1)', [userId])
  else if (role !== 'stranger') {
    await world.ask('insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())', [
      world.workspaceId,
      userId,
      role,
    ])
  }
  await world.ask('delete from auth."rateLimit"') // all tests of a file come from one address
  const cookie = await cookieOf(world.first.url, { email, password: PASSWORD })
  return { userId, email, cookie, calls: callsOf(world.first.url, cookie) }
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
