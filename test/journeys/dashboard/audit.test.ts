import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { runCommandLine } from '../../../src/cli.ts'
import { commands } from '../../../src/commands/table.ts'
import { newId } from '../../../src/lib/ids.ts'
import { isAuditAction } from '../../../src/admin/audit/actions.ts'
import { audit } from '../../../src/admin/audit/audit.ts'
import { inSnakeCase } from '../../../dashboard/audit-log/action.ts'
import { english } from '../../../locales/resources.ts'
import { newFile } from '../../world/backups.ts'
import { signIn, signInWithPassword } from '../../world/dashboard.ts'
import { INSTANCE_KEY } from '../../world/node.ts'
import { failAuditEntries, stateOf } from '../../faults/audit-faults.ts'
import { type World, startWorld } from '../../world/world.ts'

/** Runs a command that must succeed. */
async function command(world: World, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await run(world, words)
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return JSON.parse(out) as Record<string, unknown>
}

async function run(world: World, words: readonly string[]): Promise<{ code: 0 | 1; out: string; err: string }> {
  const printed = { out: '', err: '' }
  const code = await runCommandLine([...words, '--json'], {
    environment: {
      DATABASE_URL: world.databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    stdout: (text) => (printed.out += text),
    stderr: (text) => (printed.err += text),
  })
  return { code, ...printed }
}

async function settingsFile(t: TestContext): Promise<string> {
  const { file } = await newFile(t)
  await writeFile(file, JSON.stringify({ timeZone: 'Africa/Casablanca', languages: {} }))
  return file
}

type Run = { words: string; more: string[]; before?: () => Promise<unknown> }

/** Commands that change nothing themselves. */
const READING: readonly string[] = [
  'start',
  'serve',
  'version',
  'workspace list',
  'sender list',
  'endpoint list',
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
  'listen',
  'version',
]

/** Each command that changes something, in an order in which each has an effect. */
async function changingRuns(t: TestContext, world: World): Promise<{ runs: Run[]; secrets: string[] }> {
  const { workspaceId, senderId, account, credentials } = world
  await world.query('update workspaces set sandbox = true where id = $1', [workspaceId])
  const person = await signIn(world, 'member')
  const key = await command(world, 'key', 'create', '--workspace', workspaceId, '--name', 'made first')
  const receiver = await world.receiver()
  receiver.always({ status: 500 }) // the ping waits, is held by a pause, and is sent again
  const { endpointId, secret } = receiver
  const secrets = [
    secret,
    credentials.accessToken,
    credentials.appSecret,
    credentials.verifyToken,
    String(key['apiKey']),
  ]
  const of = ['--workspace', workspaceId]

  const optionsOf: Readonly<Record<string, string[]>> = {
    'workspace create': ['--name', 'Another shop'],
    'workspace allowance': [...of, '--otp', '7'],
    'key create': [...of, '--name', 'backend'],
    'key revoke': [String(key['publicId'])],
    'account connect': [
      ...of,
      `--waba-id=${credentials.wabaId}`,
      `--access-token=${credentials.accessToken}`,
      `--app-secret=${credentials.appSecret}`,
      `--verify-token=${credentials.verifyToken}`,
      `--graph-url=${credentials.graphUrl}`,
    ],
    'account sync': [account.accountId],
    'sandbox advance': [...of, '--by', '1s'],
    'sender pause': [senderId],
    'sender resume': [senderId],
    'endpoint add': [...of, '--url', 'http://127.0.0.1:9/hook'],
    'endpoint ping': [endpointId],
    'endpoint pause': [endpointId],
    'endpoint resume': [endpointId],
    'endpoint enable': [endpointId],
    'endpoint rotate': [endpointId],
    'endpoint resend': [endpointId, '--status', 'held'],
    'endpoint update': [endpointId, '--description', 'The shop'],
    'endpoint delete': [endpointId, '--yes'],
    'cod-settings set': [...of, '--file', await settingsFile(t)],
    'block add': [...of, '--phone', '+212600000001'],
    'block remove': [...of, '--phone', '+212600000001'],
    'recipient export': [...of, '--phone', '+212600000001'],
    'recipient erase': [...of, '--phone', '+212600000001', '--yes'],
    'person link': [person.email, '--drop-second-factor'],
    'quarantine release': [randomUUID()],
    'account delete': [account.accountId, '--waba-id', world.credentials.wabaId],
    backup: [(await newFile(t)).file],
    'secrets rotate': ['--end-sessions'],
    'retention confirm': ['--yes'],
    'workspace restore': [workspaceId],
    'workspace delete': [workspaceId],
  }
  const changing = commands.map(({ words }) => words).filter((words) => !READING.includes(words))
  assert.deepEqual(changing.toSorted(), Object.keys(optionsOf).toSorted())
  const runs = Object.entries(optionsOf).map(([words, more]) => ({
    words,
    more,
    ...(words === 'endpoint enable' && { before: () => disable(world, endpointId) }),
    ...(words === 'retention confirm' && { before: () => stopRemoval(world) }),
    ...(words === 'workspace restore' && { before: () => askDeletionOf(world, `now() + interval '1 day'`) }),
    ...(words === 'workspace delete' && { before: () => askDeletionOf(world, 'null') }),
    ...(words === 'quarantine release' && { before: () => quarantine(world, account.accountId, more[0]) }),
  }))
  return { runs, secrets }
}

/** `due` is SQL: null for none. */
const askDeletionOf = (world: World, due: string) =>
  world.query(`update workspaces set deletion_requested_at = ${due}, deletion_due_at = ${due} where id = $1`, [
    world.workspaceId,
  ])

test('every changing command is audited without secrets, or fails and changes nothing', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const begun = newId()
  const { runs, secrets } = await changingRuns(t, world)
  for (const { words, more, before } of runs) {
    await before?.()
    const state = await stateOf(world)
    const failing = await failAuditEntries(world, `new.who = 'command line'`)
    const { code, err } = await run(world, [...words.split(' '), ...more])
    await failing.again()
    assert.equal(code, 1, words)
    assert.match(err, /INTERNAL_ERROR/, words)
    assert.deepEqual(await stateOf(world), state, words)

    const called = newId()
    const result = await command(world, ...words.split(' '), ...more)
    secrets.push(...['apiKey', 'secret', 'link'].map((name) => result[name]).filter((each) => typeof each === 'string'))
    const entries = await entriesSince(world, called)
    assert.equal(entries.length, 1, words)
    for (const { who, action, workspace_id, target, before, after } of entries) {
      assert.equal(who, 'command line')
      assert.ok(isAuditAction(action), action)
      for (const field of Object.keys({ ...before, ...after }).filter((name) => !name.startsWith('/')))
        assert.ok(english.has(`page_audit_log.fields_${inSnakeCase(field)}`), `${words}: ${field}`)
      const ofInstance = ['person link', 'backup', 'secrets rotate', 'retention confirm'].includes(words)
      if (words !== 'workspace create') assert.equal(workspace_id, ofInstance ? null : world.workspaceId, words)
      assert.ok(target)
    }
  }
  const all = JSON.stringify(await entriesSince(world, begun))
  for (const each of secrets) assert.ok(!all.includes(each.split('#').at(-1) ?? each), 'a secret is in the audit log')
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

const disable = (world: World, endpointId: string) =>
  world.query(
    `update webhook_endpoints set status = 'disabled', status_reason = '{"code":"text","text":"x"}' where id = $1`,
    [endpointId],
  )

test('an audit entry shows the values before and after a change', async (t) => {
  const world = await startWorld(t)
  const of = ['--workspace', world.workspaceId]
  await command(world, 'workspace', 'allowance', ...of, '--otp', '7')
  await command(world, 'workspace', 'allowance', ...of, '--otp', '8', '--cod-refusals', '3')
  await command(world, 'block', 'add', ...of, '--phone', '+212600000002')
  await command(world, 'block', 'remove', ...of, '--phone', '+212600000002')
  const file = await settingsFile(t)
  await command(world, 'cod-settings', 'set', ...of, '--file', file)
  await command(world, 'cod-settings', 'set', ...of, '--file', file)
  const entries = await world.query<{
    action: string
    before: Record<string, unknown>
    after: Record<string, unknown>
  }>('select action, before, after from audit_log where workspace_id = $1 order by id', [world.workspaceId])
  const [, second, third, , unblocked, first, again] = entries
  assert.deepEqual([second?.before, second?.after], [{ monthlyUnits: 7 }, { monthlyUnits: 8 }])
  assert.deepEqual([third?.before, third?.after], [{ monthlyUnits: 10_000 }, { monthlyUnits: 3 }])
  assert.equal(unblocked?.before['blockedBy'], 'command line')
  assert.deepEqual([first?.before, first?.after['/timeZone']], [{}, 'Africa/Casablanca'])
  assert.deepEqual([again?.before, again?.after], [{}, {}])
})

test('a requested sync is audited with its result or its failure', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const { workspaceId, account } = world
  const { calls, email } = await signIn(world, 'admin')
  const sync = () => calls.senders.sync.mutate({ workspaceId, accountId: account.accountId })
  const state = await stateOf(world)
  const entries = await failAuditEntries(world, `new.action like 'account.sync%'`)
  await assert.rejects(sync, /internal error/)
  await entries.again()
  assert.deepEqual(await stateOf(world), state)
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
  await command(world, 'workspace', 'allowance', '--workspace', world.workspaceId)
  await command(world, 'block', 'remove', '--workspace', world.workspaceId, '--phone', '+212600000009')
  await command(world, 'endpoint', 'resend', (await world.receiver()).endpointId, '--count')
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
