import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { commands } from '../../../src/commands/table.ts'
import { newId } from '../../../src/lib/ids.ts'
import { resourceOf } from '../../../src/admin/audit/actions.ts'
import { audit } from '../../../src/admin/audit/audit.ts'
import { codeOfAction, inSnakeCase } from '../../../dashboard/audit-log/action.ts'
import { english } from '../../../locales/resources.ts'
import { newFile } from '../../world/backups.ts'
import { jsonOfCommand, runCommandIn } from '../../world/command-line.ts'
import { signIn, signInWithPassword } from '../../world/dashboard.ts'
import { failAuditEntries, stateOf } from '../../faults/audit-faults.ts'
import { sharedCommands } from '../../world/operator-actions.ts'
import { type World, startWorld } from '../../world/world.ts'

type Run = { words: string; more: string[]; before?: () => Promise<unknown> }

/** Commands that change nothing themselves. */
const READING: readonly string[] = [
  'start',
  'serve',
  'version',
  'workspace list',
  'account list',
  'key list',
  'block list',
  'invitation list',
  'sender list',
  'endpoint list',
  'hook list',
  'cod-settings get',
  'person list',
  'quarantine list',
  'secrets status',
  'retention preview',
  'secrets new-key', // with DOORCODE_SECRET_KEY, which the operator changes
  'explain',
  'verify',
  'restore', // has no database to write to until it ends: see restore.test.ts
  'doctor',
  'support-bundle',
  'listen',
  'mcp', // with --allow-writes only in a sandbox: see test/programs/mcp.test.ts
  'version',
]

/** Each changing command that performs no action of the dashboard: those are in test/journeys/operators/actions.test.ts. */
async function changingRuns(t: TestContext, world: World): Promise<Run[]> {
  const person = await signIn(world, 'member')
  const reportId = randomUUID()
  const runs: Run[] = [
    { words: 'workspace create', more: ['--name', 'Another shop'] },
    { words: 'person link', more: [person.email, '--drop-second-factor'] },
    {
      words: 'quarantine release',
      more: [reportId],
      before: () => quarantine(world, world.account.accountId, reportId),
    },
    { words: 'backup', more: [(await newFile(t)).file] },
    { words: 'secrets rotate', more: ['--end-sessions'] },
    { words: 'retention confirm', more: ['--yes'], before: () => stopRemoval(world) },
  ]
  const changing = commands.map(({ words }) => words).filter((words) => !READING.includes(words))
  assert.deepEqual(changing.toSorted(), [...runs.map(({ words }) => words), ...sharedCommands()].toSorted())
  return runs
}

test('every other changing command is audited without secrets, or fails and changes nothing', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  for (const { words, more, before } of await changingRuns(t, world)) {
    await before?.()
    const state = await stateOf(world)
    const failing = await failAuditEntries(world, `new.who = 'command line'`)
    const { code, stderr } = await runCommandIn(world, [...words.split(' '), ...more, '--json'])
    await failing.again()
    assert.equal(code, 1, words)
    assert.match(stderr, /INTERNAL_ERROR/, words)
    assert.deepEqual(await stateOf(world), state, words)

    const called = newId()
    const { link } = await jsonOfCommand(world, ...words.split(' '), ...more)
    const entries = await entriesSince(world, called)
    assert.equal(entries.length, 1, words)
    for (const { who, action, workspace_id, target, before, after } of entries) {
      assert.equal(who, 'command line')
      assert.ok(resourceOf(action) && english.has(codeOfAction(action)), action)
      for (const field of Object.keys({ ...before, ...after }))
        assert.ok(english.has(`page_audit_log.fields_${inSnakeCase(field)}`), `${words}: ${field}`)
      if (words === 'quarantine release') assert.equal(workspace_id, world.workspaceId)
      else if (words !== 'workspace create') assert.equal(workspace_id, null, words)
      assert.ok(target)
    }
    if (typeof link === 'string') assert.ok(!JSON.stringify(entries).includes(link.split('#').at(-1) ?? ''))
  }
})

type Entry = {
  workspace_id: string | null
  who: string
  action: string
  target: string
  before: object | null
  after: object | null
}

/** Entries that were written after this id was made. */
const entriesSince = (world: World, id: string): Promise<Entry[]> =>
  world.query<Entry>('select * from audit_log where id > $1 order by id', [id])

const stopRemoval = (world: World) =>
  world.query(
    `insert into removal_guard (trusted_at, content_days, records_days, audit_days) values (now() - interval '1 year', 0, 0, 0)
     on conflict (only_row) do update set trusted_at = excluded.trusted_at`,
  )

const quarantine = (world: World, accountId: string, reportId: string | undefined) =>
  world.query(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome)
     values ($1, $2, $3, 'unknown', '{}', now(), 'quarantined')`,
    [reportId, world.workspaceId, accountId],
  )

test('an audit entry shows the values before and after a change', async (t) => {
  const world = await startWorld(t)
  const of = ['--workspace', world.workspaceId]
  await jsonOfCommand(world, 'workspace', 'quota', ...of, '--otp', '7')
  await jsonOfCommand(world, 'workspace', 'quota', ...of, '--otp', '8', '--cod-refusals', '3')
  const { file } = await newFile(t)
  await writeFile(file, JSON.stringify({ timeZone: 'Africa/Casablanca', languages: {} }))
  await jsonOfCommand(world, 'cod-settings', 'set', ...of, '--file', file)
  await jsonOfCommand(world, 'cod-settings', 'set', ...of, '--file', file)
  const entries = await world.query<{ before: Record<string, unknown>; after: Record<string, unknown> }>(
    'select before, after from audit_log where workspace_id = $1 order by id',
    [world.workspaceId],
  )
  const [, second, third, first, again] = entries
  assert.deepEqual([second?.before, second?.after], [{ monthlyUnits: 7 }, { monthlyUnits: 8 }])
  assert.deepEqual([third?.before, third?.after], [{ monthlyUnits: 10_000 }, { monthlyUnits: 3 }])
  assert.deepEqual([first?.before, first?.after['/timeZone']], [{}, 'Africa/Casablanca'])
  assert.deepEqual([again?.before, again?.after], [{}, {}])
})

test('a requested sync is audited with its result or its failure', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const { workspaceId, account } = world
  const { calls, email } = await signIn(world, 'admin')
  const sync = () => calls.senders.sync.mutate({ workspaceId, accountId: account.accountId })
  await sync()
  await world.query(`update provider_accounts set graph_url = 'http://127.0.0.1:1' where id = $1`, [account.accountId])
  await assert.rejects(sync, /could not be reached/)
  const recorded = await world.query<{ action: string; who: string; after: object }>(
    'select action, who, after from audit_log where workspace_id = $1 order by id',
    [workspaceId],
  )
  assert.deepEqual(recorded, [
    {
      action: 'account.synced',
      who: email,
      after: { numbers: account.senders.length, templates: account.templates.length },
    },
    { action: 'account.sync_failed', who: email, after: { failure: 'unreachable' } },
  ])
})

test('a command that changes nothing is not audited', async (t) => {
  const world = await startWorld(t)
  const begun = newId()
  await jsonOfCommand(world, 'workspace', 'quota', '--workspace', world.workspaceId)
  await jsonOfCommand(world, 'block', 'remove', '--workspace', world.workspaceId, '--phone', '+212600000009')
  await jsonOfCommand(world, 'endpoint', 'resend', (await world.receiver()).endpointId, '--count')
  assert.deepEqual(await entriesSince(world, begun), [])
})

async function writeEntries(world: World, count: number): Promise<void> {
  const { db, clock } = world.parts
  for (let n = 1; n <= count; n += 1) {
    const who = n % 2 === 0 ? 'even@shop.example' : 'odd@shop.example'
    const change = {
      workspaceId: world.workspaceId,
      action: n % 5 === 0 ? ('key.revoked' as const) : ('key.created' as const),
      target: `${n}`,
    }
    await audit(db, { actor: { userId: null, who }, at: clock.now() }, { ...change, after: { n } })
  }
}

test('the log is paged newest first, and filtered by action and person', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId } = world
  await writeEntries(world, 120)
  const read: { id: string; target: string }[] = []
  let cursor: string | undefined
  do {
    const page = await calls.auditLog.list.query({ workspaceId, cursor })
    read.push(...page.entries)
    assert.ok(page.entries.length <= 50)
    cursor = page.next ?? undefined
  } while (cursor)
  const ids = read.map(({ id }) => id)
  assert.deepEqual(ids, ids.toSorted().toReversed())
  assert.equal(new Set(read.map(({ target }) => target)).size, 120)
  const fifths = await calls.auditLog.list.query({ workspaceId, action: 'key.revoked', who: 'even@shop.example' })
  assert.deepEqual(
    fifths.entries.map(({ target }) => Number(target) % 10),
    Array.from({ length: 12 }, () => 0),
  )
  assert.deepEqual(await calls.auditLog.choices.query({ workspaceId }), {
    actions: ['key.created', 'key.revoked'],
    people: ['even@shop.example', 'odd@shop.example'],
  })
})

test('the log is filtered by resource and by days of the workspace', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  await writeEntries(world, 2)
  await calls.blocked.add.mutate({ workspaceId, phone: '+212612345678' })
  const targets = async (filter: object): Promise<string[]> =>
    (await calls.auditLog.list.query({ workspaceId, ...filter })).entries.map(({ target }) => target)
  assert.deepEqual(await targets({ resource: 'recipient' }), ['+212612345678'])
  assert.deepEqual((await targets({ resource: 'key' })).toSorted(), ['1', '2'])
  assert.deepEqual(await targets({ resource: 'key', action: 'recipient.blocked' }), [])
  const moved = 3 * 86_400_000
  await world.query(
    `insert into clock_moves (workspace_id, moved_at, by_ms) values ($1, now() - interval '1 hour', $2)`,
    [workspaceId, moved],
  )
  const day = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 10)
  const shownOn = { from: day(moved - 3_600_000), to: day(moved + 3_600_000) }
  assert.equal((await targets(shownOn)).length, 3)
  assert.deepEqual(await targets({ to: day(moved - 2 * 86_400_000) }), [])
})

test('entries have the names of what they are about, deleted things too', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId, senderId } = world
  const { calls } = await signIn(world, 'admin')
  const { endpointId, url } = await world.receiver()
  const { publicId } = await calls.keys.create.mutate({ workspaceId, name: 'Backend', expiresInDays: null })
  await calls.keys.revoke.mutate({ workspaceId, publicId })
  await calls.senders.pause.mutate({ workspaceId, senderId })
  await calls.endpoints.remove.mutate({ workspaceId, endpointId, host: new URL(url).host })
  const { entries } = await calls.auditLog.list.query({ workspaceId })
  assert.deepEqual(
    entries.map(({ action, name, isDeleted }) => [action, name, isDeleted]),
    [
      ['endpoint.deleted', url, true],
      ['sender.paused', world.account.senders[0]?.phoneNumber, false],
      ['key.revoked', 'Backend', false],
      ['key.created', 'Backend', false],
    ],
  )
})

test('only operators read the instance’s log, and people their own sign-ins', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, operator] = [await signInWithPassword(world, 'owner'), await signInWithPassword(world, 'operator')]
  await assert.rejects(
    () => owner.calls.auditLog.list.query({ workspaceId, of: 'instance' }),
    /operator of this instance/,
  )
  await assert.rejects(
    () => owner.calls.auditLog.choices.query({ workspaceId, of: 'instance' }),
    /operator of this instance/,
  )
  const { entries } = await operator.calls.auditLog.list.query({ workspaceId, of: 'instance' })
  const signIns = entries.filter(({ action }) => action === 'person.signed_in').map(({ who }) => who)
  assert.ok(signIns.includes(owner.email) && signIns.includes(operator.email))
  const own = await owner.calls.account.events.query()
  assert.deepEqual([...new Set(own.map(({ who }) => who))], [owner.email])
  await world.query('delete from operators where user_id = $1', [operator.userId])
})
