import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { createLink } from '../../../src/admin/auth/links.ts'
import { PASSWORD, createCalls, signIn } from '../../world/dashboard.ts'
import { startWorld, type World } from '../../world/world.ts'

/** An instance without operators. */
const withoutOperators = (world: World) => world.query('delete from operators')

test('a workspace keeps its last owner, even when two owners leave simultaneously', async (t) => {
  const world = await startWorld(t)
  await withoutOperators(world)
  const { workspaceId } = world
  const [first, second] = [await signIn(world, 'owner'), await signIn(world, 'owner')]
  const outcomes = await Promise.allSettled([
    first.calls.people.leave.mutate({ workspaceId }),
    second.calls.people.changeRole.mutate({ workspaceId, userId: second.userId, role: 'member' }),
  ])
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const [last] = await world.query<{ user_id: string }>(
    `select user_id from members where workspace_id = $1 and role = 'owner'`,
    [workspaceId],
  )
  const owner = last?.user_id === first.userId ? first : second
  const { userId } = owner
  await assert.rejects(() => owner.calls.people.leave.mutate({ workspaceId }), /last owner/)
  await assert.rejects(() => owner.calls.people.remove.mutate({ workspaceId, userId }), /last owner/)
  await assert.rejects(() => owner.calls.people.changeRole.mutate({ workspaceId, userId, role: 'admin' }), /last owner/)
  await signIn(world, 'operator')
  await owner.calls.people.leave.mutate({ workspaceId })
  await withoutOperators(world)
})

test('owners list and revoke invitations, and a later one replaces an earlier', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const { workspaceId } = world
  const [owner, admin, stranger] = [
    await signIn(world, 'owner'),
    await signIn(world, 'admin'),
    await signIn(theirs, 'owner'),
  ]
  const invite = (role: 'admin' | 'member') =>
    owner.calls.people.invite.mutate({ workspaceId, email: 'Sara@shop.example', role })
  const earlier = await invite('admin')
  const later = await invite('member')
  const { invitations } = await owner.calls.people.list.query({ workspaceId })
  assert.deepEqual(
    invitations.map(({ email, role, invitedBy }) => ({ email, role, invitedBy })),
    [{ email: 'sara@shop.example', role: 'member', invitedBy: owner.email }],
  )
  assert.deepEqual((await admin.calls.people.list.query({ workspaceId })).invitations, [])
  const visitor = createCalls(world.first.url)
  await assert.rejects(() => visitor.session.link.mutate({ token: earlier.token }), /link is not valid/)

  const { invitationId } = later
  await assert.rejects(
    () => stranger.calls.people.revokeInvitation.mutate({ workspaceId: theirs.workspaceId, invitationId }),
    /no such pending invitation/,
  )
  await owner.calls.people.revokeInvitation.mutate({ workspaceId, invitationId })
  await assert.rejects(() => visitor.session.link.mutate({ token: later.token }), /link is not valid/)
  const actions = (await owner.calls.auditLog.list.query({ workspaceId })).entries.map(({ action }) => action)
  assert.deepEqual(actions, ['invitation.revoked', 'invitation.created', 'invitation.created'])
})

test('an owner sees that an invitation expired, and another link replaces it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const owner = await signIn(world, 'owner')
  const invitation = { workspaceId, email: 'late@shop.example', role: 'admin' as const }
  const listed = async () => {
    const { invitations } = await owner.calls.people.list.query({ workspaceId })
    return invitations.map(({ email, isExpired }) => [email, isExpired])
  }
  await owner.calls.people.invite.mutate(invitation)
  assert.deepEqual(await listed(), [[invitation.email, false]])
  world.clock.advance(7 * DAY_MS)
  assert.deepEqual(await listed(), [[invitation.email, true]])
  await owner.calls.people.invite.mutate(invitation)
  assert.deepEqual(await listed(), [[invitation.email, false]])
})

test('an invitation ends with its workspace', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const owner = await signIn(world, 'owner')
  const invited = await signIn(world, 'stranger')
  const invite = (email: string) => owner.calls.people.invite.mutate({ workspaceId, email, role: 'owner' })
  const [forNew, forKnown] = [await invite(`new-${invited.email}`), await invite(invited.email)]
  await world.query('update workspaces set sandbox = true where id = $1', [workspaceId])
  await owner.calls.workspaces.requestDeletion.mutate({ workspaceId })
  const { session } = createCalls(world.first.url)
  const account = { token: forNew.token, name: 'New', password: PASSWORD }
  await assert.rejects(() => session.link.mutate({ token: forNew.token }), /link is not valid/)
  await assert.rejects(() => session.accept.mutate(account), /link is not valid/)
  await assert.rejects(() => invited.calls.session.join.mutate({ token: forKnown.token }), /link is not valid/)
})

test('only owners see when a person was last seen', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, admin] = [await signIn(world, 'owner'), await signIn(world, 'admin')]
  const lastSeen = async ({ calls }: typeof owner) => {
    const { members } = await calls.people.list.query({ workspaceId })
    return members.find(({ userId }) => userId === admin.userId)?.lastSeenAt
  }
  assert.ok(await lastSeen(owner))
  assert.equal(await lastSeen(admin), null)
  await admin.calls.account.signOutEverywhere.mutate()
  assert.ok(await lastSeen(owner), 'also without a session')
})

test('an existing member or an invalid address cannot be invited', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, member] = [await signIn(world, 'owner'), await signIn(world, 'member')]
  const faultOf = async (email: string): Promise<string> => {
    const fault: unknown = await owner.calls.people.invite
      .mutate({ workspaceId, email, role: 'admin' })
      .catch((error: unknown) => error)
    return JSON.stringify(fault)
  }
  assert.match(await faultOf(member.email.toUpperCase()), /"path":"email","text":\{"code":"admin.is_here"/)
  assert.match(await faultOf('nobody'), /"path":"email","text":\{"code":"admin.email"/)
})

test('a role change takes effect and is audited with the old role', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, member] = [await signIn(world, 'owner'), await signIn(world, 'member')]
  await owner.calls.people.changeRole.mutate({ workspaceId, userId: member.userId, role: 'admin' })
  await member.calls.keys.create.mutate({ workspaceId, name: 'now an admin' })
  const { entries } = await owner.calls.auditLog.list.query({ workspaceId, action: 'member.role_changed' })
  assert.deepEqual(
    entries.map(({ who, target, before, after }) => ({ who, target, before, after })),
    [{ who: owner.email, target: member.email, before: { role: 'member' }, after: { role: 'admin' } }],
  )
  const unknown = { workspaceId, userId: 'nobody', role: 'admin' as const }
  await assert.rejects(() => owner.calls.people.changeRole.mutate(unknown), /no such person/)
})

test('a removed member cannot return with another invitation', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, invited] = [await signIn(world, 'owner'), await signIn(world, 'stranger')]
  const { db, clock } = world.parts
  const invite = () =>
    createLink(db, {
      purpose: 'invitation',
      workspaceId,
      email: invited.email,
      role: 'owner',
      createdBy: null,
      at: clock.now(),
    })
  // Concurrent invitations do not replace each other.
  const first = await invite()
  await world.query(`update access_links set email = 'elsewhere@shop.example' where id = $1`, [first.linkId])
  const second = await invite()
  await world.query('update access_links set email = $2 where id = $1', [first.linkId, invited.email])
  const join = ({ token }: { token: string }) => invited.calls.session.join.mutate({ token })
  await join(second)
  await assert.rejects(() => join(first), /link is not valid/)
  const third = await invite()
  await owner.calls.people.remove.mutate({ workspaceId, userId: invited.userId })
  await assert.rejects(() => join(third), /link is not valid/)
})

test('only operators create password links, and never for other operators', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, member] = [await signIn(world, 'owner'), await signIn(world, 'member')]
  const [operator, other] = [await signIn(world, 'operator'), await signIn(world, 'operator')]
  const of = ({ userId }: { userId: string }) => ({ workspaceId, userId, endsSecondFactor: false })
  await assert.rejects(() => owner.calls.people.makePasswordLink.mutate(of(member)), /operator of this instance/)
  await assert.rejects(() => operator.calls.people.makePasswordLink.mutate(of(other)), /doorcode person link/)
  const stranger = await signIn(world, 'stranger')
  await assert.rejects(() => operator.calls.people.makePasswordLink.mutate(of(stranger)), /no such person/)
  const earlier = await operator.calls.people.makePasswordLink.mutate(of(member))
  const { token } = await operator.calls.people.makePasswordLink.mutate(of(member))
  const visitor = createCalls(world.first.url)
  await assert.rejects(() => visitor.session.link.mutate({ token: earlier.token }), /link is not valid/)
  const link = await visitor.session.link.mutate({ token })
  assert.deepEqual([link.purpose, link.email], ['password', member.email])
  await withoutOperators(world)
})
