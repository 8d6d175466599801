import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import {
  connectAccount as connectAccountStep,
  listAccounts,
  readRenewedAccount,
} from '../../../src/accounts/accounts.ts'
import { findElsewhere } from '../../../src/accounts/elsewhere.ts'
import { GRAPH_URL } from '../../../src/accounts/new-account.ts'
import { removeAccount } from '../../../src/accounts/remove.ts'
import { accountConnect } from '../../../src/commands/account.ts'
import { createWorkspace } from '../../../src/workspaces/workspaces.ts'
import { accountForm } from '../../world/accounts.ts'
import { QUIET_CONTEXT } from '../../world/command-line.ts'
import { signIn } from '../../world/dashboard.ts'
import { type World, startWorld } from '../../world/world.ts'

/** Another workspace of the instance, with a member of this role who is not in the world's workspace. */
async function anotherWorkspace(world: World, name: string) {
  const { workspaceId } = await createWorkspace(world.parts.db, world.clock, { name, sandbox: true })
  const person = await signIn(world, 'stranger')
  await world.query('insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())', [
    workspaceId,
    person.userId,
    'admin',
  ])
  const form = accountForm(world, { workspaceId })
  return {
    workspaceId,
    ...person,
    form,
    connect: (more = {}) => person.calls.senders.connect.mutate({ ...form, ...more }),
  }
}

const command = async (world: World, workspaceId: string, takeOver: boolean) => {
  assert.ok(accountConnect.work.on === 'parts')
  const { graphUrl, ...account } = accountForm(world, { workspaceId })
  const values = { ...account, workspace: workspaceId, graphUrl, takeOver }
  return accountConnect.work.run(world.parts, values, QUIET_CONTEXT)
}

test('an account stays with its workspace when another one connects it', async (t) => {
  const world = await startWorld(t)
  const other = await anotherWorkspace(world, 'Second shop')
  await assert.rejects(other.connect(), /is connected to another workspace of this instance/)
  await assert.rejects(
    other.connect({ graphUrl: world.emulator.url.replace('127.0.0.1', 'localhost') }),
    /another workspace/,
  )
  await assert.rejects(command(world, other.workspaceId, false), /is connected to the workspace “Test shop”/)
  assert.deepEqual(await other.calls.senders.accounts.query({ workspaceId: other.workspaceId }), [])
  const otp = await world.submitOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp))['status'], 'delivered')
})

test('only those who may see the other workspace are shown its name', async (t) => {
  const world = await startWorld(t)
  const other = await anotherWorkspace(world, 'Second shop')
  const rejection = (): Promise<string> =>
    other.connect().then(
      () => assert.fail('the account was connected'),
      (error: unknown) => (error as Error).message,
    )
  assert.doesNotMatch(await rejection(), /Test shop/)
  await world.query(`insert into members (workspace_id, user_id, role, created_at) values ($1, $2, 'member', now())`, [
    world.workspaceId,
    other.userId,
  ])
  assert.match(await rejection(), /Test shop/)
})

test('an account of the same id at another provider opens no way to the account', async (t) => {
  const world = await startWorld(t)
  const other = await anotherWorkspace(world, 'Second shop')
  const elsewhere = await startEmulator({ speed: 0, statuses: 'manual' })
  elsewhere.addAccount(demoAccount())
  t.after(() => elsewhere.close())
  const { accountId } = await other.connect({ graphUrl: elsewhere.url })
  await assert.rejects(other.connect(), /another workspace/)
  const [kept] = await other.calls.senders.accounts.query({ workspaceId: other.workspaceId })
  assert.deepEqual([kept?.accountId, kept?.graphUrl], [accountId, elsewhere.url])
})

test('another spelling of the Graph URL hides no account', async (t) => {
  const world = await startWorld(t)
  const { account, emulator, parts } = world
  const other = await anotherWorkspace(world, 'Second shop')
  const setUrl = (url: string) =>
    world.query('update provider_accounts set graph_url = $2 where id = $1', [account.accountId, url])
  await setUrl(GRAPH_URL)
  for (const graphUrl of [
    'https://graph.facebook.com.',
    'https://GRAPH.facebook.com:443/v26.0',
    `${GRAPH_URL}/v25.0`,
  ]) {
    const found = await findElsewhere(parts.db, { ...other, wabaId: DEMO.accountId, graphUrl })
    assert.equal(found?.accountId, account.accountId, graphUrl)
  }
  await setUrl(emulator.url)
})

test('a renewal that was begun before the account was deleted does not connect it again', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, account, parts } = world
  const ref = { workspaceId, accountId: account.accountId }
  const reading = await readRenewedAccount(parts, ref)
  await parts.db.transaction((tx) => removeAccount(tx, parts, { ...ref, wabaId: DEMO.accountId }))
  await assert.rejects(
    parts.db.transaction((tx) => connectAccountStep(tx, parts, reading)),
    { code: 'NOT_FOUND' },
  )
  assert.deepEqual(await listAccounts(parts.db, workspaceId), [])
})

test('a renewal uses no credentials of another workspace', async (t) => {
  const world = await startWorld(t)
  const other = await anotherWorkspace(world, 'Second shop')
  const ref = { workspaceId: other.workspaceId, accountId: world.account.accountId }
  await assert.rejects(readRenewedAccount(world.parts, ref), { code: 'NOT_FOUND' })
})

test('without a working token nothing is said about another workspace’s account', async (t) => {
  const world = await startWorld(t)
  const other = await anotherWorkspace(world, 'Second shop')
  const rejectionFor = (wabaId: string): Promise<string> =>
    other.connect({ wabaId, accessToken: 'EAAnobody' }).then(
      () => assert.fail('the account was connected'),
      (error: unknown) => (error as Error).message.replaceAll(wabaId, '<id>'),
    )
  assert.equal(await rejectionFor(DEMO.accountId), await rejectionFor('999999999999999'))
})

test('two workspaces that connect one account at the same time do not both get it', async (t) => {
  const world = await startWorld(t)
  const { accountId } = world.account
  await world.query(`update provider_accounts set status = 'removed' where id = $1`, [accountId])
  const others = await Promise.all(['One', 'Two', 'Three'].map((name) => anotherWorkspace(world, name)))
  const results = await Promise.allSettled(others.map(({ connect }) => connect()))
  const rejected = results.filter((result) => result.status === 'rejected')
  assert.equal(rejected.length, 2)
  for (const { reason } of rejected) assert.match(String(reason), /another workspace/)
})

test('an operator moves an account, and both workspaces’ audit logs say so', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, account } = world
  const other = await anotherWorkspace(world, 'Second shop')
  await command(world, other.workspaceId, true)
  const owner = await signIn(world, 'owner')
  assert.deepEqual(await owner.calls.senders.accounts.query({ workspaceId }), [])
  const removed = await owner.calls.auditLog.list.query({ workspaceId, action: 'account.removed' })
  assert.deepEqual(
    removed.entries.map(({ target }) => target),
    [account.accountId],
  )
  const [taken] = await other.calls.senders.accounts.query({ workspaceId: other.workspaceId })
  const added = await other.calls.auditLog.list.query({ workspaceId: other.workspaceId, action: 'account.connected' })
  assert.deepEqual(
    added.entries.map(({ target }) => target),
    [taken?.accountId],
  )
})

test('a deleted workspace or a removed account does not keep another workspace from connecting', async (t) => {
  const world = await startWorld(t)
  const [one, two] = [await anotherWorkspace(world, 'One'), await anotherWorkspace(world, 'Two')]
  await world.query(
    'update workspaces set deletion_requested_at = now(), deletion_due_at = now(), deleted_at = now() where id = $1',
    [world.workspaceId],
  )
  const { accountId } = await one.connect()
  await one.calls.senders.removeAccount.mutate({
    workspaceId: one.workspaceId,
    accountId,
    wabaId: DEMO.accountId,
  })
  await two.connect()
  await assert.rejects(one.connect(), /another workspace/)
})
