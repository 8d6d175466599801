import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseSender } from '../../../src/accounts/senders.ts'
import { blockRecipients } from '../../../src/workspaces/blocked.ts'
import { jsonOfCommand, runCommandIn } from '../../world/command-line.ts'
import { signIn } from '../../world/dashboard.ts'
import { type World, startWorld } from '../../world/world.ts'

const textOf = async ({ workspaceId, ...world }: World, ...words: string[]): Promise<string> =>
  (await runCommandIn(world, [...words, 'list', '--workspace', workspaceId])).stdout

const jsonOf = (world: World, noun: string) => jsonOfCommand(world, noun, 'list', '--workspace', world.workspaceId)

test('the list of senders says why one cannot send', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, senderId } = world
  await pauseSender(world.parts.db, { workspaceId, senderId }, world.clock.now())
  const listed = (await jsonOf(world, 'sender'))['senders'] as Record<string, unknown>[]
  assert.match(String(listed.find((each) => each['senderId'] === senderId)?.['unavailable']), /is paused/)
  assert.match(await textOf(world, 'sender'), /CONNECTED {2}no: The sender is/)
})

test('the list of accounts shows their status with its reason, and no secrets', async (t) => {
  const world = await startWorld(t)
  const { accountId } = world.account
  const { wabaId, accessToken, appSecret } = world.credentials
  await world.query(
    `update provider_accounts set status = 'credentials_invalid', status_detail = '{"code":"text","text":"expired"}' where id = $1`,
    [accountId],
  )
  const { accounts } = (await jsonOf(world, 'account')) as { accounts: Record<string, unknown>[] }
  assert.deepEqual(
    accounts.map((each) => [each['accountId'], each['wabaId'], each['status'], each['statusDetail']]),
    [[accountId, wabaId, 'credentials_invalid', 'expired']],
  )
  const text = await textOf(world, 'account')
  assert.match(
    text,
    new RegExp(`^ACCOUNT +WABA ID .*\n${accountId} +${wabaId} .* credentials_invalid \\(expired\\)\n$`),
  )
  for (const secret of [accessToken, appSecret]) assert.ok(!(text + JSON.stringify(accounts)).includes(secret))
})

test('the list of keys shows which work and when each was last used, and no secrets', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId } = world
  const made = await jsonOfCommand(world, 'key', 'create', '--workspace', workspaceId, '--name', 'old')
  await jsonOfCommand(world, 'key', 'revoke', String(made['publicId']))
  const { keys } = (await jsonOf(world, 'key')) as { keys: Record<string, unknown>[] }
  const old = keys.find(({ name }) => name === 'old')
  assert.deepEqual([old?.['publicId'], old?.['state'], old?.['lastUsedAt']], [made['publicId'], 'revoked', null])
  const text = await textOf(world, 'key')
  assert.match(text, new RegExp(`^KEY +STATE [^]*${String(made['publicId'])} +revoked +\\S+Z +never +never +old\n`))
  assert.ok(!(text + JSON.stringify(keys)).includes(String(made['apiKey'])))
})

test('the list of blocked recipients begins with the latest, and says how many it leaves out', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId } = world
  assert.equal(await textOf(world, 'block'), 'No recipient is blocked.\n')
  const phones = Array.from({ length: 1_003 }, (_, n) => `+2126123${String(10_000 + n)}`)
  const recipients = phones.map((phone) => ({ phone, reason: 'asked for it' }))
  await blockRecipients(world.parts, { workspaceId, by: 'sara@shop.example', recipients })
  const { blocked, total } = (await jsonOf(world, 'block')) as { blocked: { phone: string }[]; total: number }
  assert.equal(total, 1_003)
  assert.deepEqual(
    blocked.map(({ phone }) => phone),
    phones.toReversed().slice(0, 1_000),
  )
  const lines = (await textOf(world, 'block')).trimEnd().split('\n')
  assert.match(lines[1] ?? '', /^\+212612311002 {2}\S+Z {2}sara@shop\.example {2}asked for it$/)
  assert.equal(lines.at(-1), '3 more are not listed.')
})

test('the list of invitations shows who invited, the role and the expiry, and no link', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId } = world
  const { calls, email: invitedBy } = await signIn(world, 'owner')
  const email = 'omar@shop.example'
  const { token } = await calls.people.invite.mutate({ workspaceId, email, role: 'admin' })
  const { invitations } = (await jsonOf(world, 'invitation')) as { invitations: Record<string, unknown>[] }
  assert.deepEqual(
    invitations.map((each) => [each['email'], each['role'], each['invitedBy'], each['isExpired']]),
    [[email, 'admin', invitedBy, false]],
  )
  const text = await textOf(world, 'invitation')
  assert.match(text, new RegExp(`^EMAIL +ROLE .*\n${email} +admin +\\S+Z +${invitedBy}\n$`))
  assert.ok(!(text + JSON.stringify(invitations)).includes(token))
})

test('a list of a workspace does not show what others have', async (t) => {
  const [world, other] = [await startWorld(t, { works: false }), await startWorld(t, { works: false })]
  const { calls } = await signIn(other, 'owner')
  const { workspaceId } = other
  await calls.people.invite.mutate({ workspaceId, email: 'omar@shop.example', role: 'admin' })
  await calls.blocked.add.mutate({ workspaceId, phone: '+212612345678' })
  const { publicId } = await calls.keys.create.mutate({ workspaceId, name: 'theirs' })
  const lists = await Promise.all(['account', 'key', 'block', 'invitation'].map((noun) => jsonOf(world, noun)))
  for (const foreign of [workspaceId, other.account.accountId, '+212612345678', publicId, 'omar@shop.example'])
    assert.ok(!JSON.stringify(lists).includes(foreign), foreign)
})
