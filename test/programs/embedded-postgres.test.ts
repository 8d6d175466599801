import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { waitFor } from '../world/wait-for.ts'
import { StartupError } from '../../src/lib/errors.ts'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { copyForUser, linkLibraries } from '../../src/runtime/start/embedded-postgres/binaries.ts'
import { findClosedFolder } from '../../src/runtime/start/embedded-postgres/system-user.ts'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/runtime/start/embedded-postgres/server.ts'

test('a second start finds what was committed, in UTF-8 and UTC, behind a password', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const first = await start()
  assert.equal(first.adopted, false)
  await ask(first.url, 'create table kept as select 7 as number')
  await first.stop()

  const { adopted, url } = await start()
  assert.equal(adopted, false)
  assert.deepEqual(await ask(url, 'select number from kept'), [{ number: 7 }])
  const [settings] = await ask(
    url,
    `select current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone, lower('É') as lower`,
  )
  assert.deepEqual(settings, { encoding: 'UTF8', zone: 'UTC', lower: 'é' })
  await assert.rejects(ask(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), /password/)
  assert.equal((await stat(path.join(dataDir, 'postgres', 'password'))).mode & 0o777, 0o600)
})

test('the server needs no /dev/shm, which some containers lack', { skip: process.platform !== 'linux' }, async (t) => {
  const { url } = await (await newPlace(t)).start()
  assert.deepEqual(await ask(url, 'show dynamic_shared_memory_type'), [{ dynamic_shared_memory_type: 'sysv' }])
})

test('Doorcode connects as a role that is not a superuser, owns the database and sees all sessions', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const { url, superuserUrl } = await start()
  const [role] = await ask(
    url,
    `select current_user as name, rolsuper as superuser, rolcreaterole as roles, pg_has_role('pg_monitor', 'usage') as monitors
     from pg_roles where rolname = current_user`,
  )
  assert.deepEqual(role, { name: 'doorcode_owner', superuser: false, roles: false, monitors: true })
  await ask(url, 'create schema own')
  await assert.rejects(ask(url, `copy (select 1) to program 'true'`), /permission denied/)
  await assert.rejects(ask(url.replace('doorcode_owner', 'doorcode'), 'select 1'), /password/)
  await ask(superuserUrl, 'select 1')
  assert.equal((await stat(path.join(dataDir, 'postgres', 'owner-password'))).mode & 0o777, 0o600)
})

test('a data folder without the password of its role, as in a backup that lacks it, gets another one', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const first = await start()
  await ask(first.url, 'create table kept as select 7 as number')
  await first.stop()
  await rm(path.join(dataDir, 'postgres', 'owner-password'))
  const { url } = await start()
  assert.notEqual(url, first.url)
  assert.deepEqual(await ask(url, 'select number, current_user as name from kept'), [
    { number: 7, name: 'doorcode_owner' },
  ])
})

test('a server that outlived its killed user is adopted with its data', async (t) => {
  const { dataDir, start } = await newPlace(t)
  await startAndDie({ dataDir }, `await client.query('create table kept as select 7 as number')`)
  const next = await start()
  assert.equal(next.adopted, true)
  assert.deepEqual(await ask(next.url, 'select number from kept'), [{ number: 7 }])
})

test('two concurrent first starts create one database, which the last to leave stops', async (t) => {
  const { start } = await newPlace(t)
  const both = await Promise.all([start(), start()])
  const [starter, adopter] = both.toSorted((one, other) => Number(one.adopted) - Number(other.adopted))
  assert.ok(starter && adopter)
  assert.deepEqual([starter.adopted, adopter.adopted, starter.url], [false, true, adopter.url])
  await starter.stop()
  assert.deepEqual(await ask(adopter.url, 'select 1 as one'), [{ one: 1 }])
  await adopter.stop()
  await assert.rejects(ask(adopter.url, 'select 1'))
})

test('after a kill, pid files that name another process do not prevent a start', async (t) => {
  const { dataDir, start } = await newPlace(t)
  await startAndDie({ dataDir }, '')
  const home = path.join(dataDir, 'postgres')
  const pidFile = path.join(home, 'data', 'postmaster.pid')
  const socketLock = path.join(home, 'socket', '.s.PGSQL.5432.lock')
  const postmaster = await postmasterOf(dataDir)
  process.kill(postmaster, 'SIGKILL')
  await waitFor('the end of the postmaster', () => !isRunning(postmaster))
  const { uid, gid } = await stat(pidFile)
  const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  t.after(() => stranger.kill())
  for (const file of [pidFile, socketLock])
    await writeFile(file, (await readFile(file, 'utf8')).replace(String(postmaster), String(stranger.pid)))
  const next = await start()
  assert.deepEqual(await ask(next.url, 'select 1 as one'), [{ one: 1 }])
})

test('a killed server restarts, and no empty or broken pid file prevents it', async (t) => {
  const { dataDir, start } = await newPlace(t)
  await t.test('a server killed under its user restarts, and its last user stops it', async () => {
    const used = await start()
    const pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const killed = await postmasterOf(dataDir)
    process.kill(killed, 'SIGKILL')
    await waitFor('another server', async () => {
      const text = await readFile(pidFile, 'utf8').catch(() => '')
      const answer = await ask(used.url, 'select 1').catch(() => undefined)
      return answer !== undefined && Number(text.split('\n')[0]) !== killed
    })
    await used.stop()
    await assert.rejects(ask(used.url, 'select 1'))
  })
  // The files that a crash of the machine leaves.
  for (const left of ['', 'broken\n']) {
    const home = path.join(dataDir, 'postgres')
    const { uid, gid } = await stat(path.join(home, 'data', 'PG_VERSION'))
    await mkdir(path.join(home, 'socket'), { recursive: true, mode: 0o700 })
    await chown(path.join(home, 'socket'), uid, gid)
    for (const file of [path.join('data', 'postmaster.pid'), path.join('socket', '.s.PGSQL.5432.lock')]) {
      await writeFile(path.join(home, file), left)
      await chown(path.join(home, file), uid, gid)
    }
    const next = await start()
    assert.deepEqual(await ask(next.url, 'select 1 as one'), [{ one: 1 }])
    await next.stop()
  }
})

test('a server whose process is not visible, as from another container, is not started a second time', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const first = await start()
  const pidFile = path.join(dataDir, 'postgres/data/postmaster.pid')
  const visible = await readFile(pidFile, 'utf8')
  await writeFile(pidFile, visible.replace(/^\d+/, String(await deadPid())))
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /is already running, in another container.* Run the command in that container/)
    return true
  })
  assert.deepEqual(await ask(first.url, 'select 1 as one'), [{ one: 1 }])
  await writeFile(pidFile, visible)
  assert.equal((await start()).adopted, true)
})

test('a pid file that cannot be read prevents a start, and stays', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const first = await start()
  const pidFile = path.join(dataDir, 'postgres/data/postmaster.pid')
  const visible = `${pidFile}.visible`
  await rename(pidFile, visible)
  await symlink(pidFile, pidFile) // a circle, which root cannot read either
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /postmaster\.pid cannot be read \(ELOOP.*whether PostgreSQL runs/)
    return true
  })
  assert.ok((await lstat(pidFile)).isSymbolicLink())
  assert.deepEqual(await ask(first.url, 'select 1 as one'), [{ one: 1 }])
  await rename(visible, pidFile)
})

test('a damaged lock or an incomplete database is reported, and its password stays', async (t) => {
  const { dataDir, start } = await newPlace(t)
  await (await start()).stop()
  const reported = (message: RegExp) =>
    assert.rejects(start(), (error) => error instanceof StartupError && message.test(error.message))
  const lock = path.join(dataDir, 'postgres.lock')
  await writeFile(lock, 'x'.repeat(8192))
  await reported(/postgres\.lock is damaged\. .* delete the file and start again/)
  await rm(lock)
  const home = path.join(dataDir, 'postgres')
  const password = await readFile(path.join(home, 'password'), 'utf8')
  const version = path.join(home, 'data/PG_VERSION')
  await rename(version, `${version}.aside`)
  await reported(/not PG_VERSION, so it is incomplete\. Restore it/)
  assert.equal(await readFile(path.join(home, 'password'), 'utf8'), password)
  await rename(`${version}.aside`, version)
  assert.deepEqual(await ask((await start()).url, 'select 1 as one'), [{ one: 1 }])
})

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

test('the last user stops a server that is recovering from a crash', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const used = await start()
  const postmaster = await postmasterOf(dataDir)
  const sessions = `select pid from pg_stat_activity where application_name = 'doorcode embedded'`
  const [session] = (await ask(used.url, sessions)) as { pid: number }[]
  process.kill(session?.pid ?? assert.fail(), 'SIGKILL') // all sessions end, as when the disk of its log is full
  await used.stop()
  assert.equal(isRunning(postmaster), false)
})

test('a stop ends although the server is frozen, and the next user stops the server', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const used = await start()
  const postmaster = await postmasterOf(dataDir)
  const sessions = (await ask(used.superuserUrl, 'select pid from pg_stat_activity')) as { pid: number }[]
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of [postmaster, ...sessions.map(({ pid }) => pid)]) if (isAlive(pid)) process.kill(pid, name)
  }
  signal('SIGSTOP')
  try {
    assert.ok(await withTimeout(30_000, used.stop()), 'the stop ends')
  } finally {
    signal('SIGCONT')
  }
  assert.equal(isRunning(postmaster), true)
  const next = await start()
  assert.equal(next.adopted, true)
  await next.stop()
  assert.equal(isRunning(postmaster), false)
})

/** A zombie that was not reaped does not count as running. */
function isRunning(pid: number): boolean {
  if (existsSync(`/proc/${pid}`)) return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return existsSync('/proc/self') ? false : isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a data folder that cannot be created is reported with a fix', { skip: !existsSync('/proc/self') }, async () => {
  await assert.rejects(startEmbeddedPostgres({ dataDir: '/proc/doorcode/data' }), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /^The folder \/proc\/doorcode\/data cannot be created \(ENOENT.* DOORCODE_DATA_DIR/)
    return true
  })
})

test('a data folder whose path is too long for a socket works', async (t) => {
  const { start } = await newPlace(t, path.join('a'.repeat(60), 'b'.repeat(60)))
  const { url } = await start()
  assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
})

test('data of another PostgreSQL version is rejected with a fix', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const data = path.join(dataDir, 'postgres', 'data')
  await mkdir(data, { recursive: true })
  await writeFile(path.join(data, 'PG_VERSION'), '17\n')
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /created by PostgreSQL 17; .* includes 18.* DOORCODE_DATA_DIR/)
    return true
  })
})

const asRoot = { skip: process.getuid?.() !== 0 }

test('root’s database outside a closed folder is found again; a lost one is not replaced', asRoot, async (t) => {
  const { dataDir, systemFolder, start } = await newClosedPlace(t)
  const first = await start()
  await ask(first.url, 'create table kept as select 7 as number')
  await first.stop()
  const second = await start()
  assert.deepEqual(await ask(second.url, 'select number from kept'), [{ number: 7 }])
  await second.stop()

  await rm(dataDir, { recursive: true })
  const third = await start()
  await assert.rejects(ask(third.url, 'select number from kept'), /does not exist/)
  await third.stop()

  await rm(path.join(systemFolder, 'clusters'), { recursive: true })
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /was in .*\/clusters\/\w+, which is gone\. .* remove the link/)
    return true
  })
  await rm(path.join(dataDir, 'postgres'))
  await start()
})

test('a server outside its data folder is adopted', asRoot, async (t) => {
  const { dataDir, systemFolder, start } = await newClosedPlace(t)
  await startAndDie({ dataDir, systemFolder }, `await client.query('create table kept as select 7 as number')`)
  const next = await start()
  assert.equal(next.adopted, true)
  assert.deepEqual(await ask(next.url, 'select number from kept'), [{ number: 7 }])
})

test('a database is not replaced when a folder above it is closed', asRoot, async (t) => {
  const { dataDir, start } = await newClosedPlace(t)
  const closed = path.dirname(dataDir)
  await chmod(closed, 0o711)
  await (await start()).stop()
  await chmod(closed, 0o700)
  await assert.rejects(start(), keptOutBy(closed))
  await chmod(closed, 0o711)
  await start()
})

test('without another place, the folder closed to PostgreSQL’s user is reported', asRoot, async (t) => {
  const { dataDir, systemFolder, start } = await newClosedPlace(t)
  await mkdir(systemFolder)
  await writeFile(path.join(systemFolder, 'clusters'), '')
  await assert.rejects(start(), keptOutBy(path.dirname(dataDir)))
})

const keptOutBy = (closed: string) => (error: unknown) => {
  assert.ok(error instanceof StartupError)
  assert.match(error.message, new RegExp(`may not enter ${closed}\\. Open it with "chmod o\\+x`))
  return true
}

test('inaccessible binaries are copied once, and again if the copy lost a file', asRoot, async (t) => {
  const { dataDir, systemFolder } = await newClosedPlace(t)
  await makeBinaries(dataDir)
  const copying = { name: 'postgresql-18', user: nobody, folders: [systemFolder] }
  const copy = await copyForUser(dataDir, copying)
  assert.ok(copy)
  const program = path.join(copy, 'bin', 'postgres')
  assert.equal(await readFile(path.join(copy, 'lib', 'libpq.so.5'), 'utf8'), 'library')
  assert.deepEqual(
    [(await stat(program)).mode & 0o777, (await stat(path.dirname(program))).mode & 0o777],
    [0o755, 0o755],
  )

  const { ino } = await stat(program)
  assert.equal(await copyForUser(dataDir, copying), copy)
  assert.equal((await stat(program)).ino, ino)

  await rm(path.join(copy, 'lib', 'libpq.so.5.18'))
  assert.equal(await copyForUser(dataDir, copying), copy)
  assert.equal(await readFile(path.join(copy, 'lib', 'libpq.so.5'), 'utf8'), 'library')
  assert.deepEqual(await readdir(systemFolder), ['postgresql-18'])
})

test('two concurrent copies of the binaries both succeed', asRoot, async (t) => {
  const { dataDir, systemFolder } = await newClosedPlace(t)
  await makeBinaries(dataDir)
  const copying = { name: 'postgresql-18', user: nobody, folders: [systemFolder] }
  const [one, other] = await Promise.all([copyForUser(dataDir, copying), copyForUser(dataDir, copying)])
  assert.ok(one)
  assert.equal(one, other)
  assert.deepEqual(await readdir(systemFolder), ['postgresql-18'])
})

test('binaries are never copied to or run from a folder others can change', asRoot, async (t) => {
  const { dataDir, systemFolder } = await newClosedPlace(t)
  await makeBinaries(dataDir)
  const own = `${systemFolder}-own`
  await mkdir(own)
  await chown(own, nobody.uid, nobody.gid)
  const linked = `${systemFolder}-linked`
  await symlink(path.dirname(systemFolder), linked)
  await lchown(linked, nobody.uid, nobody.gid)
  const copying = { name: 'postgresql-18', user: nobody, folders: [own, linked, '/dev/null/none'] }
  assert.equal(await copyForUser(dataDir, copying), undefined)
  const folders = [...copying.folders, systemFolder]
  assert.equal(await copyForUser(dataDir, { ...copying, folders }), path.join(systemFolder, 'postgresql-18'))
})

const nobody = { name: 'nobody', uid: 65_534, gid: 65_534, ownsFolder: false }

test('a start by a user without a name, as in some containers, fails with what PostgreSQL needs', asRoot, async (t) => {
  const { dataDir } = await newPlace(t)
  const nameless = { name: '', uid: 54_321, gid: 54_321, ownsFolder: false }
  const program = path.resolve(import.meta.dirname, '../../bin/doorcode.js')
  if (await findClosedFolder(program, nameless)) return t.skip('this user may not enter the folder of Doorcode')
  await chown(dataDir, nameless.uid, nameless.gid)
  const child = spawn(process.execPath, [program, 'workspace', 'create', '--name', 'Shop'], {
    uid: nameless.uid,
    gid: nameless.gid,
    env: { DOORCODE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  assert.deepEqual(await once(child, 'close'), [1, null])
  assert.match(
    errors,
    /^The embedded PostgreSQL needs a name for the user id 54321, .* \/etc\/passwd.* DATABASE_URL.*\n$/,
  )
})

/** Only their owner may read them. */
async function makeBinaries(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'bin'), { recursive: true, mode: 0o700 })
  await mkdir(path.join(folder, 'lib'), { mode: 0o700 })
  await writeFile(path.join(folder, 'bin', 'postgres'), '#!/bin/sh\n', { mode: 0o700 })
  await writeFile(path.join(folder, 'lib', 'libpq.so.5.18'), 'library', { mode: 0o600 })
  await symlink('libpq.so.5.18', path.join(folder, 'lib', 'libpq.so.5'))
}

test('a server whose data folder is moved or deleted is ended', async (t) => {
  const { dataDir, start } = await newPlace(t, 'data')
  const moved = `${dataDir}-moved`
  for (const lose of [() => rename(dataDir, moved), () => rm(dataDir, { recursive: true })]) {
    const server = await start()
    const pid = await postmasterOf(dataDir)
    await lose()
    await once(server.lost, 'abort')
    assert.match((server.lost.reason as StartupError).message, /^The data folder .*data was deleted or moved while/)
    await server.stop()
    assert.equal(isRunning(pid), false)
    assert.equal(existsSync(dataDir), false, 'nothing made it again')
    await rename(moved, dataDir).catch(() => {}) // back, to be deleted
  }
})

test('an ended start leaves no unfinished data, and a killed one’s is not used', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const stopping = new AbortController()
  const starting = start({ signal: stopping.signal })
  const home = path.join(dataDir, 'postgres')
  const isUnfinished = async () => (await readdir(home).catch(() => [])).some((name) => name.startsWith('unfinished'))
  await waitFor('initdb', isUnfinished)
  stopping.abort()
  await assert.rejects(starting, /^StartupError: A signal ended the start\.$/)
  assert.equal(await isUnfinished(), false)
  const halfMade = path.join(home, 'unfinished-0123')
  await mkdir(halfMade)
  await writeFile(path.join(halfMade, 'PG_VERSION'), '18\n')
  assert.deepEqual(await ask((await start()).url, 'select 1 as one'), [{ one: 1 }])
  assert.equal(await isUnfinished(), false)
})

test('library links missing because of blocked install scripts are created', async (t) => {
  const native = path.join((await newPlace(t)).dataDir, 'native')
  await mkdir(path.join(native, 'lib'), { recursive: true })
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(path.join(native, 'pg-symlinks.json'), JSON.stringify(links))
  await linkLibraries(native)
  await linkLibraries(native)
  assert.ok((await lstat(path.join(native, 'lib', 'libpq.so.5'))).isSymbolicLink())
})

async function postmasterOf(dataDir: string): Promise<number> {
  const text = await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n')[0])
}

type Options = Omit<EmbeddedPostgresOptions, 'dataDir'>

type Place = { dataDir: string; start: (options?: Options) => Promise<EmbeddedPostgres> }

/** A new folder. What was started in it is stopped before the folder is removed. */
async function newPlace(t: TestContext, below = ''): Promise<Place> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-embedded-'))
  await chmod(folder, 0o711)
  const dataDir = path.join(folder, below)
  const started: EmbeddedPostgres[] = []
  t.after(async () => {
    for (const each of started) await each.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    dataDir,
    async start(options = {}) {
      const postgres = await startEmbeddedPostgres({ dataDir, durable: false, ...options })
      started.push(postgres)
      return postgres
    },
  }
}

/** Below a folder that only root may enter, with a separate system folder. */
async function newClosedPlace(t: TestContext): Promise<Place & { systemFolder: string }> {
  const { dataDir, start } = await newPlace(t, 'closed/data')
  const closed = path.dirname(dataDir)
  await mkdir(closed, { mode: 0o700 })
  const systemFolder = path.join(path.dirname(closed), 'system')
  return { dataDir, systemFolder, start: (options = {}) => start({ systemFolder, ...options }) }
}

/** A process that starts the server, works with it, and is killed. */
async function startAndDie(options: EmbeddedPostgresOptions, work: string): Promise<void> {
  const script = `
    import { Client } from 'pg'
    import { startEmbeddedPostgres } from './src/runtime/start/embedded-postgres/server.ts'
    const { url } = await startEmbeddedPostgres(${JSON.stringify({ durable: false, ...options })})
    const client = new Client(url)
    await client.connect()
    ${work}
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
}

async function ask(url: string, text: string): Promise<object[]> {
  const client = new Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<object>(text)).rows
  } finally {
    await client.end()
  }
}
