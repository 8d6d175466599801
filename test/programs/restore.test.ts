import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { findMigrations } from '../../src/operations/backup/check.ts'
import { makeBackup } from '../../src/operations/backup/backup.ts'
import { load } from '../../src/operations/backup/load.ts'
import { openBackupFile } from '../../src/operations/backup/read-file.ts'
import { listMigrations } from '../../src/lib/db/migrate.ts'
import { openDb } from '../../src/lib/db/pool.ts'
import { createLog } from '../../src/lib/log.ts'
import { createSealingKey } from '../../src/lib/seal.ts'
import { openDatabase } from '../../src/runtime/start/database.ts'
import { listWorkspaces } from '../../src/workspaces/workspaces.ts'
import { KEY, backUp, command, emptyDatabase, holdRestore, newFile, tablesOf } from '../world/backups.ts'
import { QUIET_CONTEXT, environmentOf, interruptCommand, runCommand } from '../world/command-line.ts'
import { fileDatabase } from '../database/database.ts'
import { superuserUrlOf, withConnection } from '../database/postgres.ts'
import { runProgram } from './program.ts'
import { openTestSeal } from '../database/seal.ts'
import { waitFor } from '../world/wait-for.ts'

const OTHER_KEY = randomBytes(32).toString('base64')

/** A backup of the file's database, and an empty one. */
async function setScene(t: TestContext, ...options: string[]) {
  const { folder, file } = await newFile(t)
  await backUp({ databaseUrl: await fileDatabase() }, file, ...options)
  return { folder, file, url: await emptyDatabase(t) }
}

/** Runs a restore that must fail and change nothing. */
async function rejected(
  words: readonly string[],
  environment: Record<string, string>,
  expected: RegExp,
): Promise<void> {
  const { code, stderr } = await runCommand(['restore', ...words], environment)
  assert.equal(code, 1)
  assert.match(stderr, expected)
  if (environment['DATABASE_URL']) assert.deepEqual(await tablesOf(environment['DATABASE_URL']), [])
}

test('a restore without the right instance key changes nothing and says which key it needs', async (t) => {
  const { folder, file, url } = await setScene(t)
  const bare = path.join(folder, 'without-key.backup')
  await backUp({ databaseUrl: await fileDatabase() }, bare, '--without-key')
  const newFolder = { DOORCODE_DATA_DIR: path.join(folder, 'data') }
  const otherKey = { DATABASE_URL: url, DOORCODE_SECRET_KEY: OTHER_KEY }
  await rejected([file], { DATABASE_URL: url }, /contains the instance key\. Set DOORCODE_SECRET_KEY .*--key-file/)
  const [other, needed] = [OTHER_KEY, KEY].map((key) => createSealingKey(Buffer.from(key, 'base64')).fingerprint)
  const fault = `DOORCODE_SECRET_KEY is not the instance key of .*has the fingerprint ${other}; .*fingerprint ${needed}\\.`
  await rejected([file], otherKey, new RegExp(`${fault} Leave DOORCODE_SECRET_KEY unset`))
  await rejected([bare], otherKey, new RegExp(`${fault} Use the key of the installation that made the backup`))
  await rejected(
    [bare],
    { DATABASE_URL: url },
    new RegExp(
      `does not contain the instance key, which has the fingerprint ${needed}\\. Set DOORCODE_SECRET_KEY to it\\.`,
    ),
  )
  await rejected(
    [bare],
    newFolder,
    /Set DOORCODE_SECRET_KEY to it, or copy the file "instance-key" .*data\/instance-key/,
  )
  await rejected(
    [bare, '--key-file', 'x'],
    newFolder,
    /--key-file is only for restoring a backup that contains the instance key/,
  )
  await rejected([file, '--key-file', file], { DATABASE_URL: url }, /already exists\. Name a new file/)
  const nowhere = path.join(folder, 'missing/key')
  await rejected([file, '--key-file', nowhere], { DATABASE_URL: url }, /missing\/key cannot be written \(ENOENT\)/)
  await assert.rejects(stat(newFolder.DOORCODE_DATA_DIR), { code: 'ENOENT' })
})

test('the key of a backup is written to the file that the operator names', async (t) => {
  const { folder, file, url } = await setScene(t)
  const keyFile = path.join(folder, 'key')
  await command(['restore', file, '--key-file', keyFile], { DATABASE_URL: url })
  const key = (await readFile(keyFile, 'utf8')).trim()
  assert.deepEqual([key, (await stat(keyFile)).mode & 0o777], [KEY, 0o600])
  await command(['workspace', 'list'], { DATABASE_URL: url, DOORCODE_SECRET_KEY: key })
})

test('a restore names the command that starts the restored installation', async (t) => {
  const { file, url } = await setScene(t)
  const { stdout } = await runCommand(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.match(
    stdout,
    /Start Doorcode with "doorcode serve" and the same settings, not with "npm start", which runs a demo\./,
  )
})

test('a restore names the time from which repeated requests may be accepted twice', async (t) => {
  const { file, url } = await setScene(t)
  const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
  const { stdout } = await runCommand(['restore', file], environment)
  const [, from] =
    /^Requests that were accepted after (\S+) are not in the backup: .* idempotency key/m.exec(stdout) ?? []
  assert.ok(from, stdout)
  const again = { ...environment, DATABASE_URL: await emptyDatabase(t) }
  const json = await command(['restore', file], again)
  assert.deepEqual([json['createdAt'], json['repeatsMayDoubleFrom']], [from, from])
})

test('a database that has tables of Doorcode is never restored into', async (t) => {
  const { file } = await setScene(t)
  const used = { DATABASE_URL: await fileDatabase(), DOORCODE_SECRET_KEY: KEY }
  const { code, stderr } = await runCommand(['restore', file], used)
  assert.equal(code, 1)
  assert.match(stderr, /The database already has tables of Doorcode\. Restore into a new database/)
})

test('a restore is rejected while another process starts on the database', async (t) => {
  const { file, url } = await setScene(t)
  await withConnection(url, async (connection) => {
    await connection.query('select pg_advisory_lock(7305221)') // the lock of migrations
    const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
    await rejected([file], environment, /Another process is starting on this database or restoring it/)
  })
})

test('a restore that fails before its commit leaves an empty database for the next one', async (t) => {
  const { file, url } = await setScene(t)
  await using backup = await openBackupFile(file, undefined)
  const migrations = findMigrations(file, backup.header, await listMigrations())
  const db = openDb({ url, poolSize: 1, planEachTime: true })
  t.after(() => db.close())
  const ending = new AbortController()
  const about = { file, migrations, at: new Date(), signal: ending.signal }
  const fails = load(db, backup, {
    ...about,
    beforeCommit: () => Promise.reject(new Error('the key cannot be written')),
  })
  await assert.rejects(fails, /the key cannot be written/)
  assert.deepEqual(await tablesOf(url), [])
  await assert.rejects(load(db, backup, { ...about, beforeCommit: async () => ending.abort() }))
  assert.deepEqual(await tablesOf(url), [])
  await command(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
})

test('Ctrl-C while rows are copied leaves an empty database and says how to continue', async (t) => {
  const { file, url, hold } = await setHeldScene(t)
  const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
  const running = runCommand(['restore', file], environment)
  await hold.reached()
  interruptCommand()
  const { code, stdout, stderr } = await running
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, 'The restore was interrupted, and nothing was restored. Run the command again.\n')
  assert.deepEqual(await tablesOf(url), [])
  await hold.release()
  await waitFor('the session of the restore to end', async () => (await sessionsOn(url)) === 0)
  await command(['restore', file], environment)
})

test('a server that waits for a killed restore finds an empty database', async (t) => {
  const { file, url, hold } = await setHeldScene(t)
  const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
  const { child, ended } = runProgram(t, ['restore', file], environment)
  await hold.reached()
  const again = await runCommand(['restore', file], environment)
  assert.match(
    again.stderr,
    /restoring it\. Stop it first\. If you have just killed a restore, .* run the command again/,
  )
  const starting = openDatabase({ config: { databaseUrl: url, dataDir: '', databasePool: 1 }, ...RETRIES })
  child.kill('SIGKILL')
  await ended
  const killedAt = performance.now()
  const { db, close } = await starting // before the hold is released: PostgreSQL notices that its client has ended
  const waitedMs = performance.now() - killedAt
  const workspaces = await listWorkspaces(db)
  await close()
  assert.deepEqual(workspaces, [])
  assert.ok(waitedMs < 10_000, `${waitedMs} ms`)
  await hold.release()
  const late = await runCommand(['restore', file], environment)
  assert.match(late.stderr, /The database already has tables of Doorcode\. Restore into a new database/)
})

/** A restore stops in the middle of this backup. */
async function setHeldScene(t: TestContext) {
  await command(['workspace', 'create', '--name', 'Shop'], environmentOf({ databaseUrl: await fileDatabase() }))
  const scene = await setScene(t)
  return { ...scene, hold: await holdRestore(t, scene.url) }
}

const RETRIES = { log: createLog('silent'), timeoutMs: 5_000 }

const sessionsOn = (url: string): Promise<number> =>
  withConnection(url, async (connection) => {
    const { rowCount } = await connection.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'doorcode'`,
    )
    return rowCount ?? 0
  })

test('a restore that fills the disk leaves an empty database', async (t) => {
  const { file, url } = await setScene(t)
  await withConnection(superuserUrlOf(url), (connection) =>
    connection.query(`
      create function fill() returns event_trigger language plpgsql as $$ begin
        raise 'could not extend file' using errcode = 'disk_full'; end $$;
      create event trigger fill on ddl_command_end when tag in ('CREATE INDEX') execute function fill()`),
  )
  const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }
  await rejected(
    [file],
    environment,
    /^The disk of the database is full, so nothing was restored\. Free space, then run/,
  )
})

test('a restore into another program’s database names its tables and restores nothing', async (t) => {
  const { file, url } = await setScene(t)
  await withConnection(url, (connection) =>
    connection.query('create table migrations (id integer); create table workspaces (id integer)'),
  )
  const { stderr } = await runCommand(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.match(stderr, /The database is used by another program, which has "migrations", "workspaces" in it\./)
  assert.deepEqual((await tablesOf(url)).toSorted(), ['migrations', 'workspaces'])
})

test('a backup with an older schema is migrated, and one with a newer schema is rejected', async (t) => {
  const { file } = await setScene(t)
  await using backup = await openBackupFile(file, undefined)
  const { header } = backup
  const known = await listMigrations()
  const next = { number: known.length + 1, name: 'next.sql' }
  assert.deepEqual(findMigrations(file, header, [...known, next]), { before: known, after: [next] })
  assert.throws(() => findMigrations(file, header, known.slice(0, -1)), /newer than this release\. Restore it with/)
  assert.throws(() => findMigrations(file, header, [...known.slice(0, -1), next]), /was never released/)
})

test('a backup that is interrupted leaves no file', async (t) => {
  const { folder, file } = await newFile(t)
  const db = openDb({ url: await fileDatabase(), poolSize: 1 })
  t.after(() => db.close())
  const ending = new AbortController()
  const target = { file, replace: false }
  const about = { target, keys: [], withoutKey: true, passphrase: undefined, createdAt: new Date() }
  let copies = 0
  /** Ends the backup in the middle of its tables. */
  const connect = async () => {
    const connection = await db.connect()
    const query = connection.query.bind(connection) as (...args: unknown[]) => unknown
    connection.query = ((...args: unknown[]) => {
      if (typeof args[0] === 'object' && (copies += 1) === 5) ending.abort()
      return query(...args)
    }) as typeof connection.query
    return connection
  }
  const made = makeBackup({ ...db, connect }, { ...about, signal: ending.signal, begin: async () => {} })
  await assert.rejects(made)
  assert.equal(copies, 5)
  assert.deepEqual(await readdir(folder), [])
})

test('a backup whose key was replaced when it began is rejected', async (t) => {
  const { folder, file } = await newFile(t)
  const db = openDb({ url: await fileDatabase(), poolSize: 1 })
  t.after(() => db.close())
  await openTestSeal(db)
  const about = { passphrase: undefined, createdAt: new Date(), begin: async () => {}, signal: QUIET_CONTEXT.signal }
  const target = { file, replace: false }
  const made = makeBackup(db, { ...about, target, withoutKey: false, keys: [Buffer.from(OTHER_KEY, 'base64')] })
  await assert.rejects(made, /instance key was replaced when the backup began, .* Repeat the command/)
  assert.deepEqual(await readdir(folder), [])
})

test('a backup of a database that a later release migrated needs that release', async (t) => {
  const { folder, file } = await newFile(t)
  const url = await fileDatabase()
  await withConnection(url, (sql) => sql.query(`insert into migrations (number, name) values (999998, 'later')`))
  t.after(() => withConnection(url, (sql) => sql.query('delete from migrations where number = 999998')))
  const { code, stderr } = await runCommand(['backup', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^A later release has migrated the database, .* with the release that migrated the database\.\n$/,
  )
  assert.deepEqual(await readdir(folder), [])
})

test('a passphrase that is too short or unreadable is rejected without being quoted', async (t) => {
  const { folder, file } = await setScene(t)
  const short = path.join(folder, 'short')
  await writeFile(short, 'hunter2')
  const environment = { DATABASE_URL: await fileDatabase(), DOORCODE_SECRET_KEY: KEY }
  for (const name of [short, path.join(folder, 'missing')]) {
    const { code, stderr } = await runCommand(['backup', `${file}.2`, '--passphrase-file', name], environment)
    assert.equal(code, 1)
    assert.match(stderr, /--passphrase-file (must contain one line of 12 to 1024 characters|cannot be read: ENOENT)/)
    assert.doesNotMatch(stderr, /hunter2/)
  }
})

test('the command warns about a file that opens everything', async (t) => {
  const { file } = await newFile(t)
  const environment = { DATABASE_URL: await fileDatabase(), DOORCODE_SECRET_KEY: KEY }
  const warned = await runCommand(['backup', file], environment)
  assert.match(warned.stdout, /Warning: it contains the instance key and is not encrypted/)
  const bare = await runCommand(['backup', file, '--force', '--without-key'], environment)
  assert.match(bare.stdout, /does not contain the instance key: keep the key in another place/)
  const again = await runCommand(['backup', file], environment)
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /already exists\. Choose another name, or add --force/)
})
