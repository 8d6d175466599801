import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommandLine } from '../../src/cli.ts'
import { commands } from '../../src/commands/table.ts'
import { audit } from '../../src/dashboard/audit.ts'
import { signedIn } from '../dashboard.ts'
import { INSTANCE_KEY } from '../node.ts'
import { type World, startWorld } from '../world.ts'

/** Runs a command beside the world's server; must succeed. */
async function command(world: World, ...words: string[]): Promise<Record<string, unknown>> {
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
  assert.equal(code, 0, `${words.join(' ')}: ${printed.err}`)
  return JSON.parse(printed.out) as Record<string, unknown>
}

async function settingsFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-audit-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'settings.json')
  await writeFile(file, JSON.stringify({ timeZone: 'Africa/Casablanca', languages: {} }))
  return file
}

test('every command that changes something tells it in the audit log, and no secret of it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, senderId, account, credentials } = world
  await world.ask('update workspaces set sandbox = true where id = $1', [workspaceId])
  const person = await signedIn(world, 'member')
  const key = await command(world, 'key', 'create', '--workspace', workspaceId, '--name', 'made first')
  const { endpointId, secret } = await world.receiver()
  const secrets = [
    secret,
    credentials.accessToken,
    credentials.appSecret,
    credentials.verifyToken,
    String(key['apiKey']),
  ]
  const of = ['--workspace', workspaceId]

  const runs: Readonly<Record<string, string[]>> = {
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
    'sender pause': [senderId],
    'sender resume': [senderId],
    'endpoint add': [...of, '--url', 'http://127.0.0.1:9/hook'],
    'endpoint pause': [endpointId],
    'endpoint resume': [endpointId],
    'endpoint enable': [endpointId],
    'endpoint rotate': [endpointId],
    'endpoint resend': [endpointId, '--status', 'failed'],
    'cod-settings set': [...of, '--file', await settingsFile(t)],
    'block add': [...of, '--phone', '+212600000001'],
    'block remove': [...of, '--phone', '+212600000001'],
    'sandbox advance': [...of, '--by', '1s'],
    'person link': [person.email, '--drop-second-factor'],
  }
  const changing = commands.filter(({ changes }) => changes).map(({ words }) => words)
  assert.deepEqual(changing.toSorted(), Object.keys(runs).toSorted())
  for (const [words, more] of Object.entries(runs)) {
    if (words === 'endpoint enable') await disable(world, endpointId)
    const before = await entriesOf(world)
    const result = await command(world, ...words.split(' '), ...more)
    secrets.push(...['apiKey', 'secret', 'link'].map((name) => result[name]).filter((each) => typeof each === 'string'))
    const [entry, ...others] = (await entriesOf(world)).slice(before.length)
    assert.deepEqual([entry?.who, entry?.action, others], ['command line', words, []])
    const ofInstance = words === 'person link'
    const ofAnother = words === 'workspace create'
    if (!ofAnother) assert.equal(entry?.workspace_id, ofInstance ? null : workspaceId, words)
    assert.ok(entry?.target)
  }
  const all = JSON.stringify(await entriesOf(world))
  for (const each of secrets) assert.ok(!all.includes(each.split('#').at(-1) ?? each), 'a secret is in the audit log')
})

type Entry = { workspace_id: string | null; who: string; action: string; target: string }

const entriesOf = (world: World): Promise<Entry[]> => world.ask<Entry>('select * from audit_log order by id')

const disable = (world: World, endpointId: string) =>
  world.ask(`update webhook_endpoints set status = 'disabled', status_reason = 'x' where id = $1`, [endpointId])

test('a command that had nothing to change tells nothing', async (t) => {
  const world = await startWorld(t)
  const before = (await entriesOf(world)).length
  await command(world, 'workspace', 'allowance', '--workspace', world.workspaceId)
  await command(world, 'block', 'remove', '--workspace', world.workspaceId, '--phone', '+212600000009')
  await command(world, 'endpoint', 'resend', (await world.receiver()).endpointId, '--count')
  assert.equal((await entriesOf(world)).length, before)
})

/** Entries 1 to `count`, one after the other. */
async function writeEntries(world: World, count: number): Promise<void> {
  const { db, clock } = world.parts
  for (let n = 1; n <= count; n += 1) {
    const who = n % 2 === 0 ? 'even@shop.example' : 'odd@shop.example'
    const change = { workspaceId: world.workspaceId, action: n % 5 === 0 ? 'fifth.done' : 'other.done', target: `${n}` }
    await audit(db, { actor: { userId: null, who }, at: clock.now() }, { ...change, after: { n } })
  }
}

test('the log is read a page at a time, the latest first, by what was done and by whom', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
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
  const fifths = await calls.auditLog.list.query({ workspaceId, action: 'fifth.done', who: 'even@shop.example' })
  assert.deepEqual(
    fifths.entries.map(({ target }) => Number(target) % 10),
    Array.from({ length: 12 }, () => 0),
  )
  assert.deepEqual(await calls.auditLog.choices.query({ workspaceId }), {
    actions: ['fifth.done', 'other.done'],
    people: ['even@shop.example', 'odd@shop.example'],
  })
})

test('what belongs to the whole instance is read by who runs it, and sign-ins by their own account', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, operator] = [await signedIn(world, 'owner'), await signedIn(world, 'operator')]
  await assert.rejects(() => owner.calls.auditLog.list.query({ workspaceId, of: 'instance' }), /runs this instance/)
  await assert.rejects(() => owner.calls.auditLog.choices.query({ workspaceId, of: 'instance' }), /runs this instance/)
  const { entries } = await operator.calls.auditLog.list.query({ workspaceId, of: 'instance' })
  const signIns = entries.filter(({ action }) => action === 'person.signed_in').map(({ who }) => who)
  assert.ok(signIns.includes(owner.email) && signIns.includes(operator.email))
  const own = await owner.calls.account.events.query()
  assert.deepEqual([...new Set(own.map(({ who }) => who))], [owner.email])
  await world.ask('delete from operators where user_id = $1', [operator.userId])
})
