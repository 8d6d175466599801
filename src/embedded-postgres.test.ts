import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { until } from '../test/until.ts'
import { CannotStart } from './cannot-start.ts'
import { linkLibraries } from './embedded-postgres/binaries.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

test('a second start finds what was committed before the first stop', async (t) => {
  const { start } = await newPlace(t)
  const first = await start()
  assert.equal(first.adopted, false)
  await ask(first.url, 'create table kept as select 7 as number')
  await first.stop()

  const second = await start()
  assert.equal(second.adopted, false)
  assert.deepEqual(await ask(second.url, 'select number from kept'), [{ number: 7 }])
})

test('the database speaks UTF-8 and UTC, and nobody gets in without the password', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const { url } = await start()
  const [settings] = await ask(
    url,
    `select current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone, lower('É') as lower`,
  )
  assert.deepEqual(settings, { encoding: 'UTF8', zone: 'UTC', lower: 'é' })
  await assert.rejects(ask(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), /password/)
  assert.equal((await stat(path.join(dataDir, 'postgres', 'password'))).mode & 0o777, 0o600)
})

test('a server that outlived its killed user is adopted with all that was committed', async (t) => {
  const { dataDir, start } = await newPlace(t)
  await startAndDie(dataDir, `await client.query('create table kept as select 7 as number')`)
  const next = await start()
  assert.equal(next.adopted, true)
  assert.deepEqual(await ask(next.url, 'select number from kept'), [{ number: 7 }])
})

test('the first of two users to leave does not stop the server, the last one does', async (t) => {
  const { start } = await newPlace(t)
  const server = await start()
  const command = await start()
  assert.equal(command.adopted, true)
  await server.stop()
  assert.deepEqual(await ask(command.url, 'select 1 as one'), [{ one: 1 }])
  await command.stop()
  await assert.rejects(ask(command.url, 'select 1'))
})

test('two first starts at once make one database', async (t) => {
  const { start } = await newPlace(t)
  const [one, other] = await Promise.all([start(), start()])
  assert.equal(one.url, other.url)
  assert.notEqual(one.adopted, other.adopted)
})

test('what a start that was killed while making the data folder left behind is not taken for data', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const halfMade = path.join(dataDir, 'postgres', 'unfinished-0123')
  await mkdir(halfMade, { recursive: true })
  await writeFile(path.join(halfMade, 'PG_VERSION'), '18\n')
  const { url } = await start()
  assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
  assert.deepEqual(
    (await readdir(path.join(dataDir, 'postgres'))).filter((name) => name.startsWith('unfinished')),
    [],
  )
})

test('a process id file that names a living process of another kind does not keep the server down', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const first = await start()
  await first.stop()
  await writeFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), `${process.pid}\n`)
  const second = await start()
  assert.deepEqual(await ask(second.url, 'select 1 as one'), [{ one: 1 }])
})

test('a server that is killed under its user comes back, and is still stopped by its last user', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const used = await start()
  const pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
  const killed = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  process.kill(killed, 'SIGKILL')
  await until('another server', async () => {
    const text = await readFile(pidFile, 'utf8').catch(() => '')
    const answer = await ask(used.url, 'select 1').catch(() => undefined)
    return answer !== undefined && Number(text.split('\n')[0]) !== killed
  })
  await used.stop()
  await assert.rejects(ask(used.url, 'select 1'))
})

test('a data folder whose path is too long for a socket works all the same', async (t) => {
  const { start } = await newPlace(t, path.join('a'.repeat(60), 'b'.repeat(60)))
  const { url } = await start()
  assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
})

test('data of another version of PostgreSQL is refused with what to do', async (t) => {
  const { dataDir, start } = await newPlace(t)
  const data = path.join(dataDir, 'postgres', 'data')
  await mkdir(data, { recursive: true })
  await writeFile(path.join(data, 'PG_VERSION'), '17\n')
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof CannotStart)
    assert.match(error.message, /made by PostgreSQL 17 .* brings 18.* DOORCODE_DATA_DIR/)
    return true
  })
})

test('root is told which folder keeps PostgreSQL’s own user out', { skip: process.getuid?.() !== 0 }, async (t) => {
  const { dataDir, start } = await newPlace(t, 'closed/data')
  const closed = path.dirname(dataDir)
  await mkdir(closed, { mode: 0o700 })
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof CannotStart)
    assert.match(error.message, new RegExp(`may not enter ${closed}: open it with "chmod o\\+x`))
    return true
  })
})

test('library links that npm’s blocked install scripts did not make are made', async (t) => {
  const native = path.join((await newPlace(t)).dataDir, 'native')
  await mkdir(path.join(native, 'lib'), { recursive: true })
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(path.join(native, 'pg-symlinks.json'), JSON.stringify(links))
  await linkLibraries(native)
  await linkLibraries(native)
  assert.ok((await lstat(path.join(native, 'lib', 'libpq.so.5'))).isSymbolicLink())
})

type Place = { dataDir: string; start: () => Promise<EmbeddedPostgres> }

/** A folder of its own; what was started in it is stopped before it goes. */
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
    async start() {
      const postgres = await startEmbeddedPostgres(starting(dataDir))
      started.push(postgres)
      return postgres
    },
  }
}

const starting = (dataDir: string) => ({ dataDir, durable: false })

/** A process that starts the server, works with it, and is killed. */
async function startAndDie(dataDir: string, work: string): Promise<void> {
  const script = `
    import { Client } from 'pg'
    import { startEmbeddedPostgres } from './src/embedded-postgres.ts'
    const { url } = await startEmbeddedPostgres(${JSON.stringify(starting(dataDir))})
    const client = new Client(url)
    await client.connect()
    ${work}
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: path.resolve(import.meta.dirname, '..'),
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
