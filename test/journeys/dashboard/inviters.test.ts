import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { TRPCClientError } from '@trpc/client'
import { PASSWORD, type SignedIn, createCalls, signIn } from '../../world/dashboard.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

/** A workspace with two owners, the first of whom has invited a new owner and an existing account. */
async function startInvited(t: TestContext) {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [inviter, other, friend] = [
    await signIn(world, 'owner'),
    await signIn(world, 'owner'),
    await signIn(world, 'stranger'),
  ]
  const newcomer = `new-of-${inviter.email}`
  const invite = (email: string, by = inviter) => by.calls.people.invite.mutate({ workspaceId, email, role: 'owner' })
  const [forNewcomer, forFriend] = [await invite(newcomer), await invite(friend.email)]
  const visitor = createCalls(world.first.url)
  const accept = ({ token } = forNewcomer) => visitor.session.accept.mutate({ token, name: 'New', password: PASSWORD })
  const join = ({ token } = forFriend) => friend.calls.session.join.mutate({ token })
  const of = ({ userId }: SignedIn) => ({ workspaceId, userId })
  return { world, workspaceId, inviter, other, friend, newcomer, invite, accept, join, of }
}

type Invited = Awaited<ReturnType<typeof startInvited>>

const ENDINGS: Readonly<Record<string, (invited: Invited) => Promise<unknown>>> = {
  'is removed': ({ other, inviter, of }) => other.calls.people.remove.mutate(of(inviter)),
  leaves: ({ inviter, workspaceId }) => inviter.calls.people.leave.mutate({ workspaceId }),
  'becomes an admin': ({ other, inviter, of }) =>
    other.calls.people.changeRole.mutate({ ...of(inviter), role: 'admin' }),
  'gives up the role': ({ inviter, of }) => inviter.calls.people.changeRole.mutate({ ...of(inviter), role: 'member' }),
}

for (const [ending, end] of Object.entries(ENDINGS)) {
  test(`invitations of an owner who ${ending} are over, and the audit log says so`, async (t) => {
    const invited = await startInvited(t)
    const { accept, join, workspaceId, other, newcomer, friend, invite } = invited
    const kept = await invite(`kept-${newcomer}`, other)
    await end(invited)
    await assert.rejects(() => accept(), /link is not valid/)
    await assert.rejects(() => join(), /link is not valid/)
    const { invitations } = await other.calls.people.list.query({ workspaceId })
    assert.deepEqual(
      invitations.map(({ email }) => email),
      [`kept-${newcomer}`],
    )
    const { entries } = await other.calls.auditLog.list.query({ workspaceId, action: 'invitation.revoked' })
    assert.deepEqual(entries.map(({ target }) => target).sort(), [friend.email, newcomer].sort())
    await accept(kept)
  })
}

test('an owner’s invitations into other workspaces outlive the removal from one', async (t) => {
  const { world, inviter, other, of } = await startInvited(t)
  const theirs = await startWorld(t)
  const workspaceId = theirs.workspaceId
  await world.query('insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())', [
    workspaceId,
    inviter.userId,
    'owner',
  ])
  const guest = await signIn(world, 'stranger')
  const { token } = await inviter.calls.people.invite.mutate({ workspaceId, email: guest.email, role: 'member' })
  await other.calls.people.remove.mutate(of(inviter))
  assert.deepEqual(await guest.calls.session.join.mutate({ token }), { workspaceId })
})

test('an invitation that is made or accepted during its maker’s removal never outlives it', async (t) => {
  for (let round = 0; round < 8; round += 1) {
    const { inviter, other, of, invite, join, friend, world, workspaceId } = await startInvited(t)
    const outcomes = await Promise.allSettled([
      invite(`late-${friend.email}`),
      join(),
      untilAvailable(() => other.calls.people.remove.mutate(of(inviter))),
    ])
    const [late, joined, removed] = outcomes
    assert.equal(removed.status, 'fulfilled')
    if (late.status === 'fulfilled') {
      const { token } = late.value
      await assert.rejects(() => createCalls(world.first.url).session.link.mutate({ token }), /link is not valid/)
    }
    const { members, invitations } = await other.calls.people.list.query({ workspaceId })
    assert.equal(
      members.some(({ email }) => email === friend.email),
      joined.status === 'fulfilled',
    )
    assert.deepEqual(invitations, [])
  }
})

/** Repeats a call that got a 503: on a busy machine another one may hold a row for longer than a call waits for it. */
const untilAvailable = (call: () => Promise<unknown>) =>
  waitFor('a response other than 503', () =>
    call().then(
      () => true,
      (error: unknown) => {
        if (error instanceof TRPCClientError && error.data?.httpStatus === 503) return false
        throw error
      },
    ),
  )

test('an operator’s invitation is valid without a membership', async (t) => {
  const { world, join, friend, invite } = await startInvited(t)
  const operator = await signIn(world, 'operator')
  await join(await invite(friend.email, operator))
  await world.query('delete from operators')
})
