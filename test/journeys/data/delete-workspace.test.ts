import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayNameRecipient } from '../../../src/admin/audit/actions.ts'
import { purgeLoop } from '../../../src/operations/lifecycle/purge.ts'
import type { Parts } from '../../../src/runtime/parts.ts'
import { confirmRemoval, createRemovalGuard } from '../../../src/operations/lifecycle/retention/guard.ts'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { requestDeletion, cancelDeletion } from '../../../src/workspaces/deletion.ts'
import { getWorkspace, listWorkspaces } from '../../../src/workspaces/workspaces.ts'
import { signIn } from '../../world/dashboard.ts'
import { callSupabase, createHook, sendThroughHook } from '../../world/hooks.ts'
import { assertKeyEnds, statusOfKey } from '../../world/rejections.ts'
import { trade } from '../../world/trade.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const makeSandbox = (world: World) =>
  world.query('update workspaces set sandbox = true where id = $1', [world.workspaceId])

const ask = (world: World, name?: string) =>
  world.parts.db.transaction((tx) => requestDeletion(tx, world.clock, { workspaceId: world.workspaceId, name }))

/** Creates a row in as many tables as possible. */
async function fill(world: World): Promise<void> {
  const { workspaceId, parts } = world
  await world.askAboutRefusal(await trade(world))
  const owner = await signIn(world, 'owner')
  await owner.calls.workspaces.rename.mutate({ workspaceId, name: 'To delete' })
  await owner.calls.people.invite.mutate({ workspaceId, email: `${workspaceId}@shop.example`, role: 'member' })
  await world.query(
    `insert into blocked_recipients (workspace_id, phone, created_at)
     select $1, '+2126' || n, now() from generate_series(10000000, 10002500) n`,
    [workspaceId],
  )
  await world.query(
    `insert into unfinished_erasures (id, workspace_id, begun_at, pseudonym, person, person_hash)
     values (gen_random_uuid(), $1, now(), 'erased:1', '', '')`,
    [workspaceId],
  )
  await world.query('insert into clock_moves (workspace_id, moved_at, by_ms) values ($1, now(), 1)', [workspaceId])
  assert.ok(await getWorkspace(parts.db, workspaceId))
}

/** The tables with rows of the workspace, by looking into every table that names one. */
async function tablesOf(world: World): Promise<string[]> {
  const tables = await world.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'workspace_id' order by table_name`,
  )
  assert.ok(tables.length > 20)
  const filled: string[] = []
  for (const { name } of tables) {
    const [row] = await world.query<{ any: boolean }>(
      `select exists (select from ${name} where workspace_id = $1) as any`,
      [world.workspaceId],
    )
    if (row?.any) filled.push(name)
  }
  return filled
}

const purgeOf = (parts: Parts) =>
  purgeLoop({
    ...parts,
    guard: createRemovalGuard(parts, { timeOf: () => parts.clock.now() }),
    mayNameRecipient,
  })

/** As an operator does after a jump of the time. */
const confirmTime = ({ parts, clock }: World): Promise<void> =>
  parts.db.transaction((tx) => confirmRemoval(tx, { now: clock.now(), keep: parts.config.keep }))

const isPurged = async (world: World): Promise<boolean> =>
  (await world.query('select from workspaces where id = $1 and purged_at is not null', [world.workspaceId])).length > 0

/** Turns of one node that dies after a few of them, then of another. */
async function purge(world: World): Promise<void> {
  world.advance('11s')
  const dying = purgeOf(world.parts)
  for (let turn = 0; turn < 4; turn += 1) await dying.turn()
  const other = purgeOf(world.parts)
  await waitFor('the rows to be removed', async () => {
    await other.turn()
    return isPurged(world)
  })
}

/** A node may serve a hook as before for a second. */
const assertHookEnds = (world: World, hook: Parameters<typeof callSupabase>[1]): Promise<unknown> =>
  waitFor('the hook to be rejected', async () => {
    const { status } = await callSupabase(world, hook, { phone: newPhone(), code: '493817' })
    return status === 401
  })

test('a deleted sandbox is gone immediately on every node, and its rows soon after', async (t) => {
  const [world, bystander] = [await startWorld(t), await startWorld(t)]
  await makeSandbox(world)
  await fill(world)
  await fill(bystander)
  const theirs = await tablesOf(bystander)
  const owner = await signIn(world, 'owner')
  const urls = [world.first.url, (await world.node()).url]
  const key = await world.freshKey()
  for (const url of urls) assert.equal(await statusOfKey(world, key, url), 404)

  assert.ok(theirs.includes('auth_hooks'))
  const hook = await createHook(world, 'supabase')
  await sendThroughHook(world, hook)

  const { workspaceId } = world
  await owner.calls.workspaces.requestDeletion.mutate({ workspaceId })
  await assertKeyEnds(world, key, urls)
  for (const url of urls) await assertHookEnds(world, { ...hook, url: `${url}/hooks/${hook.hookId}` })
  await assert.rejects(owner.calls.workspaces.get.query({ workspaceId }), /There is no such workspace/)
  await assert.rejects(cancelDeletion(world.parts.db, workspaceId), /No workspace has the id/)
  assert.ok(!(await listWorkspaces(world.parts.db)).some((each) => each.workspaceId === workspaceId))

  await purge(world)
  assert.deepEqual(await tablesOf(world), ['audit_log'])
  assert.deepEqual(await tablesOf(bystander), theirs)
  const webhook = await fetch(`${world.first.url}${world.account.webhookPath}`)
  assert.equal(webhook.status, 404)
  const [row] = await world.query<{ name: string }>('select name from workspaces where id = $1', [workspaceId])
  assert.equal(row?.name, '')
})

test('the audit log of a deleted workspace keeps what was done, without the numbers of recipients', async (t) => {
  const world = await startWorld(t)
  await makeSandbox(world)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'owner')
  const [blocked, imported, ...others] = [newPhone(), newPhone(), newPhone(), newPhone()]
  const withSeparators = '+33 6 12-34-56-78'
  const reason = `asked by ${imported.slice(1)}, or ${withSeparators}`
  await calls.blocked.add.mutate({ workspaceId, phone: blocked, reason })
  await calls.blocked.remove.mutate({ workspaceId, phone: blocked })
  const lines = [imported, ...others].map((phone, index) => ({ line: index + 1, phone, reason: '' }))
  await calls.blocked.import.mutate({ workspaceId, lines })
  await calls.phone.sendOtp.mutate({ workspaceId, body: world.otpBody({ to: blocked, reference: `for-${blocked}` }) })
  const asDialled = `0${blocked.slice(4)}`
  await world.query(
    `insert into audit_log (id, workspace_id, at, who, action, target, after)
     values (uuidv7(), $1, now(), 'test', 'list.exported', 'messages', jsonb_build_object('text', $2::text, 'from', '2026-11-01')),
            (uuidv7(), $1, now(), 'test', 'account.removed', 'an account', '{"wabaId":"102290129340398"}')`,
    [workspaceId, asDialled],
  )
  const entries = () =>
    world.query<{ action: string; target: string; text: string }>(
      `select action, target, a::text as text from audit_log a where workspace_id = $1 order by id`,
      [workspaceId],
    )
  const digits = [withSeparators, ...[blocked, imported, ...others].map((phone) => phone.slice(4))]
  const numbersIn = (rows: readonly { text: string }[]) =>
    digits.filter((each) => rows.some(({ text }) => text.includes(each)))
  const before = await entries()
  assert.deepEqual(numbersIn(before), digits)
  await ask(world)
  await purge(world)

  const after = await entries()
  assert.deepEqual(numbersIn(after), [])
  const actions = (rows: typeof before) => rows.map(({ action }) => action)
  assert.deepEqual(actions(after), actions(before))
  const sent = (rows: typeof before) => rows.find(({ action }) => action === 'otp.sent')?.target
  assert.equal(sent(after), sent(before), 'an id is no number')
  const textOf = (action: string): string => after.find((entry) => entry.action === action)?.text ?? ''
  assert.match(textOf('account.removed'), /102290129340398/)
  assert.match(textOf('list.exported'), /2026-11-01/)
  const [target] = after.filter(({ action }) => action === 'recipient.blocked').map((entry) => entry.target)
  assert.match(target ?? '', /^erased:/)
  assert.match(textOf('recipient.unblocked'), new RegExp(target ?? ''), 'one number has one pseudonym')
})

test('reports that a failover brings back during a purge are removed again', async (t) => {
  const world = await startWorld(t, { works: false })
  await makeSandbox(world)
  const count = async (): Promise<number> =>
    (await world.query('select from provider_reports where workspace_id = $1', [world.workspaceId])).length
  const addReport = () =>
    world.query(
      `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome)
       select gen_random_uuid(), workspace_id, id, 'status', '', now(), 'applied' from provider_accounts
       where workspace_id = $1`,
      [world.workspaceId],
    )
  await addReport()
  await ask(world)
  world.advance('11s')
  let isDown = false
  const rows: World['parts']['db']['rows'] = (...query) =>
    isDown ? Promise.reject(new DatabaseUnavailable(new Error('gone'))) : world.parts.db.rows(...query)
  const loop = purgeOf({ ...world.parts, db: { ...world.parts.db, rows } })
  await waitFor('the reports to be removed', async () => {
    await loop.turn()
    return (await count()) === 0
  })
  await loop.turn() // finds none: the walk through the reports is over
  isDown = true
  await assert.rejects(loop.turn(), DatabaseUnavailable)
  isDown = false
  await addReport()
  await waitFor('the rows to be removed', async () => {
    await loop.turn()
    return isPurged(world)
  })
  assert.equal(await count(), 0)
})

test('until a live workspace is deleted, accepted messages are sent and the deletion can be cancelled', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, admin] = [await signIn(world, 'owner'), await signIn(world, 'admin')]
  const key = await world.freshKey()
  await assert.rejects(admin.calls.workspaces.requestDeletion.mutate({ workspaceId, name: 'Test shop' }), /role owner/)
  for (const name of [undefined, '', 'test shop'])
    await assert.rejects(owner.calls.workspaces.requestDeletion.mutate({ workspaceId, name }), /exact name.*Test shop/)
  assert.equal(await statusOfKey(world, key), 404)

  const accepted = await world.sendOtp({}, { key })
  const hook = await createHook(world, 'supabase')
  await sendThroughHook(world, hook)
  const { deletionDueAt } = await owner.calls.workspaces.requestDeletion.mutate({ workspaceId, name: 'Test shop' })
  await owner.calls.workspaces.requestDeletion.mutate({ workspaceId, name: 'Test shop' }) // changes nothing
  await waitFor('the key to be rejected', async () => (await statusOfKey(world, key)) === 401)
  await world.whatsapp.reports(accepted, ['delivered'])
  const { deletionDueAt: shown } = await owner.calls.workspaces.get.query({ workspaceId })
  assert.equal(shown, deletionDueAt)
  const [listed] = (await admin.calls.session.current.query())?.workspaces ?? []
  assert.equal(listed?.deletionRequestedBy, owner.email)

  await assertHookEnds(world, hook)
  await owner.calls.workspaces.cancelDeletion.mutate({ workspaceId })
  await waitFor('the key to work again', async () => (await statusOfKey(world, key)) === 404)
  await sendThroughHook(world, hook)
  const [message] = await world.query<{ status: string }>('select status from messages where id = $1', [
    accepted.messageId,
  ])
  assert.equal(message?.status, 'delivered')
  const entries = await world.query<{ action: string }>(
    `select action from audit_log where workspace_id = $1 and action like 'workspace.deletion%' order by id`,
    [workspaceId],
  )
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['workspace.deletion_requested', 'workspace.deletion_cancelled'],
  )
})

test('a live workspace is gone when its deletion is due', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId, parts } = world
  await ask(world, 'Test shop')
  world.advance('167h')
  await confirmTime(world)
  await purgeOf(parts).turn()
  await getWorkspace(parts.db, workspaceId)
  world.advance('61m')
  await purgeOf(parts).turn()
  await assert.rejects(getWorkspace(parts.db, workspaceId), /No workspace has the id/)
  await assert.rejects(cancelDeletion(parts.db, workspaceId), /No workspace has the id/)
  await purge(world)
  assert.deepEqual(await tablesOf(world), [])
})

test('a jump of the time does not end the grace period of a deleted workspace until an operator confirms', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId, parts } = world
  await purgeOf(parts).turn()
  await ask(world, 'Test shop')
  world.advance('30d')
  await purgeOf(parts).turn()
  await getWorkspace(parts.db, workspaceId)
  assert.equal(await cancelDeletion(parts.db, workspaceId), true)
  await ask(world, 'Test shop')
  world.advance('8d')
  await confirmTime(world)
  await purgeOf(parts).turn()
  await assert.rejects(getWorkspace(parts.db, workspaceId), /No workspace has the id/)
})
