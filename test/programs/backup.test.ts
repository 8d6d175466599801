import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openBackupFile } from '../../src/operations/backup/read-file.ts'
import { isExcluded } from '../../src/operations/backup/tables.ts'
import { claimMessages } from '../../src/messages/queue/claim.ts'
import { beginLease } from '../../src/runtime/jobs/leases.ts'
import { newId } from '../../src/lib/ids.ts'
import { KEY, backUp, command, emptyDatabase, newFile, tablesOf } from '../world/backups.ts'
import { environmentOf, runCommand } from '../world/command-line.ts'
import { readCatalog } from '../world/catalog.ts'
import { signIn } from '../world/dashboard.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'
import { waitFor } from '../world/wait-for.ts'
import { startWorld } from '../world/world.ts'

const PASSPHRASE = 'correct horse battery staple'

test('a restored database has the schema and all rows of the backup', async (t) => {
  const world = await startWorld(t, { statuses: 'automatic', cod: {} })
  await world.receiver()
  await signIn(world, 'owner')
  await world.sendOtp({ reference: 'tab\t, line\n, back\\slash, \\N, "quote", é, 😀' })
  await world.confirmedOrder()
  await world.first.app.stop()
  const { file } = await newFile(t)
  const made = await backUp(world, file)
  const url = await emptyDatabase(t)
  const restored = await command(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.deepEqual([restored['rows'], restored['tables']], [made['rows'], made['tables']])
  assert.deepEqual(await readCatalog(url), await readCatalog(world.databaseUrl))
  assert.deepEqual(await digests(url), await digests(world.databaseUrl))
  await withConnection(url, async (connection) => {
    assert.equal((await connection.query('select from auth.session')).rowCount, 0)
    const { rows } = await connection.query(
      `select action, target from audit_log where action ~ '^instance' order by id`,
    )
    const target = path.basename(file)
    assert.deepEqual(rows, [
      { action: 'instance.backup_started', target },
      { action: 'instance.restored', target },
    ])
  })
})

test('a backup under load has everything acknowledged before it began, and verifies', async (t) => {
  const world = await startWorld(t)
  const { file } = await newFile(t)
  const before: string[] = []
  const during: string[] = []
  for (let sent = 0; sent < 20; sent += 1) before.push((await world.sendOtp()).messageId)
  let ended = false
  const load = Array.from({ length: 4 }, async () => {
    while (!ended) during.push((await world.sendOtp()).messageId)
  })
  await backUp(world, file).finally(() => (ended = true))
  await Promise.all(load)
  const url = await emptyDatabase(t)
  const restored = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
  await command(['restore', file], restored)
  const { checked, differences } = await command(['verify', '--workspace', world.workspaceId], restored)
  assert.deepEqual(differences, { total: 0, byCode: {}, shown: [] }, JSON.stringify(checked))
  await withConnection(url, async (connection) => {
    const { rows } = await connection.query<{ id: string; used: number }>(
      `select m.id, (select used from quota_usage u where u.workspace_id = $1 and u.kind = 'otp') as used
       from messages m where m.workspace_id = $1`,
      [world.workspaceId],
    )
    const found = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      before.filter((id) => !found.has(id)),
      [],
    )
    assert.deepEqual(
      [...found].filter((id) => !before.includes(id) && !during.includes(id)),
      [],
    )
    assert.equal(rows[0]?.used, found.size, 'one moment: the units and their messages')
  })
})

test('timers, due messages and webhooks continue in a restored database', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const receiver = await world.receiver()
  const asked = await world.askToConfirm()
  await world.first.app.stop()
  const url = await emptyDatabase(t)
  const { file } = await newFile(t)
  await backUp(world, file)
  await command(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  const node = await world.node({ databaseUrl: url })
  world.setCallback(node.url)
  world.advance('2h')
  const sent = () => world.customer(asked).screen().length
  await waitFor('the reminder', () => sent() === 2)
  world.advance('23h')
  await receiver.waitFor(1)
  assert.deepEqual(receiver.types(), ['cod.no_response'])
})

test('a message in progress during the backup is sent again at most once', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  const lease = newId()
  await claimMessages(world.parts, 1, { lease })
  await beginLease(world.parts.db, lease, world.clock.now())
  const url = await emptyDatabase(t)
  const { file } = await newFile(t)
  await backUp(world, file)
  await command(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  await world.node({ databaseUrl: url, works: true })
  world.advance('1m') // the lease and the wait for a report
  const outcomes = 'select outcome from message_attempts where message_id = $1 order by attempt'
  await withConnection(url, (connection) =>
    waitFor('the second attempt', async () => {
      const { rows } = await connection.query<{ outcome: string }>(outcomes, [otp.messageId])
      return rows.map(({ outcome }) => outcome).join() === 'unknown,accepted'
    }),
  )
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('backups move everything into an embedded database and out of it again', async (t) => {
  const world = await startWorld(t, { works: false })
  const { folder, file } = await newFile(t)
  const passphraseFile = path.join(folder, 'passphrase')
  await writeFile(passphraseFile, `${PASSPHRASE}\n`)
  const { code } = await world.sendOtp()
  const made = await backUp(world, file, '--passphrase-file', passphraseFile)
  assert.deepEqual([made['containsKey'], made['encrypted']], [true, true])
  const environment = { DOORCODE_DATA_DIR: path.join(folder, 'data') }
  const restored = await command(['restore', file, '--passphrase-file', passphraseFile], environment)
  const keyFile = path.join(folder, 'data', 'instance-key')
  assert.equal(restored['keyFile'], keyFile)
  assert.deepEqual([(await readFile(keyFile, 'utf8')).trim(), (await stat(keyFile)).mode & 0o777], [KEY, 0o600])
  const { workspaces } = await command(['workspace', 'list'], environment)
  assert.ok(JSON.stringify(workspaces).includes(world.workspaceId))
  await command(['backup', `${file}.2`], environment)
  const back = { DATABASE_URL: await emptyDatabase(t), DOORCODE_SECRET_KEY: KEY }
  await command(['restore', `${file}.2`], back)
  assert.deepEqual((await command(['workspace', 'list'], back))['workspaces'], workspaces)

  await using backup = await openBackupFile(file, PASSPHRASE)
  const contents = (await Array.fromAsync(backup.frames())).map(({ kind, content }) => (kind === 'key' ? '' : content))
  assert.doesNotMatch(
    contents.join(''),
    new RegExp(`${code}|${KEY.replaceAll('+', '\\+')}`),
    'a code or the key in clear',
  )
})

test('a backup that fills the disk says so and leaves no file', async (t) => {
  const { folder, file } = await newFile(t)
  const environment = environmentOf({ databaseUrl: await fileDatabase() })
  // Files of at most 4 KiB: the system answers as for a full disk.
  const limited = 'ulimit -f 8 && exec "$0" bin/doorcode.js backup "$1"'
  const run = runScript(limited, file, environment)
  await assert.rejects(run, { code: 1, stderr: /^The disk is full, so .* was not written\. Free space/ })
  assert.deepEqual(await readdir(folder), [])
})

test('a backup on standard output can be restored, and a full disk is reported', async (t) => {
  const { folder, file } = await newFile(t)
  const environment = environmentOf({ databaseUrl: await fileDatabase() })
  const script = '"$0" bin/doorcode.js backup - --json >"$1" && "$0" bin/doorcode.js backup - >/dev/full'
  const run = runScript(script, file, environment)
  const { code, stderr } = (await run.catch((error: unknown) => error)) as { code?: number; stderr: string }
  const [result = '', fault] = stderr.split('\n')
  const made = JSON.parse(result) as Record<string, unknown>
  assert.deepEqual([made['file'], made['bytes'], code], ['-', (await stat(file)).size, 1])
  assert.match(fault ?? '', /^Standard output cannot be written \(ENOSPC\), so the backup is incomplete\./)
  const restored = await command(['restore', file], { DATABASE_URL: await emptyDatabase(t), DOORCODE_SECRET_KEY: KEY })
  assert.equal(restored['rows'], made['rows'])
  const stdin = await runCommand(['restore', '-'], { DOORCODE_DATA_DIR: path.join(folder, 'data') })
  assert.match(
    stdin.stderr,
    /reads the backup twice, so it cannot read standard input\. Save the backup as a file first/,
  )
  const terminal = await runCommand(['backup', '-'], environment) // this process has no sendData, as on a terminal
  assert.match(terminal.stderr, /^Standard output is a terminal\./)
})

const ROW = 'r::text'

/** A checksum of the rows of each table, except those that a backup leaves out and the audit entry of the restore. */
async function digests(url: string): Promise<Record<string, unknown>> {
  return withConnection(url, async (connection) => {
    const digests: Record<string, unknown> = {}
    for (const name of await tablesOf(url)) {
      if (isExcluded(name.replaceAll('"', ''))) continue
      const { rows } = await connection.query<object>(
        `select count(*) as rows, md5(string_agg(${ROW}, e'\\n' order by ${ROW})) as md5 from ${name} r
         where ${name === 'audit_log' ? `action <> 'instance.restored'` : 'true'}`,
      )
      digests[name] = rows[0]
    }
    return digests
  })
}

/** In the script, `$0` is Node and `$1` the file. */
const runScript = (script: string, file: string, environment: NodeJS.ProcessEnv) =>
  promisify(execFile)('sh', ['-c', script, process.execPath, file], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], ...environment },
  })
