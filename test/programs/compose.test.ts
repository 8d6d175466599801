import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../src/lib/config.ts'
import { migrate } from '../../src/lib/db/migrate.ts'
import { openDb } from '../../src/lib/db/pool.ts'
import { OWNER } from '../../src/runtime/start/embedded-postgres/owner.ts'
import { startEmbeddedPostgres } from '../../src/runtime/start/embedded-postgres/server.ts'
import { urlOf, withConnection } from '../database/postgres.ts'
import { temporaryFolder } from '../world/temporary-folder.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../..')
const script = (name: string): string => path.join(ROOT, 'deploy/compose', name)

const AS_ROOT = { skip: process.getuid?.() !== 0 }
const WITH_PSQL = { skip: spawnSync('psql', ['--version']).status !== 0 }

type Secrets = { folder: string; create: () => Promise<string>; read: () => Promise<Record<string, string>> }

/** The two folders as compose mounts them. */
async function newSecrets(t: TestContext): Promise<Secrets> {
  const folder = await temporaryFolder(t)
  for (const name of ['postgres', 'doorcode']) await mkdir(path.join(folder, name))
  return {
    folder,
    create: async () => (await run('bash', [script('create-secrets.sh'), folder])).stdout,
    async read() {
      const found: Record<string, string> = {}
      for (const each of ['postgres', 'doorcode'])
        for (const name of (await readdir(path.join(folder, each))).sort())
          found[`${each}/${name}`] = await readFile(path.join(folder, each, name), 'utf8')
      return found
    },
  }
}

test('compose makes each secret once, for the one user who reads it', AS_ROOT, async (t) => {
  const { folder, create, read } = await newSecrets(t)
  const made = ['postgres-password', 'owner-password', 'database-url', 'secret-key'].map((name) => `created ${name}\n`)
  assert.equal(await create(), made.join(''))
  const secrets = await read()
  const ownersAndModes = async () => {
    const modes: Record<string, [number, number]> = {}
    for (const name of Object.keys(secrets)) {
      const { uid, mode } = await stat(path.join(folder, name))
      modes[name] = [uid, mode & 0o777]
    }
    return modes
  }
  const expected = {
    'postgres/owner-password': [0, 0o400],
    'postgres/postgres-password': [0, 0o400],
    'doorcode/database-url': [10_001, 0o400],
    'doorcode/secret-key': [10_001, 0o400],
  }
  assert.deepEqual(await ownersAndModes(), expected)
  const { 'doorcode/database-url': databaseUrl = '', 'doorcode/secret-key': key = '' } = secrets
  assert.equal(decodeURIComponent(new URL(databaseUrl).password), secrets['postgres/owner-password'])
  assert.equal(new URL(databaseUrl).username, OWNER)
  readConfig({ DATABASE_URL: databaseUrl, DOORCODE_SECRET_KEY: key })
  await chmod(path.join(folder, 'doorcode/secret-key'), 0o644)
  await chown(path.join(folder, 'doorcode/secret-key'), 0, 0) // as if an operator had put it there
  assert.equal(await create(), '')
  assert.deepEqual(await read(), secrets)
  assert.deepEqual(await ownersAndModes(), expected)
})

test('compose accepts an own password with any characters and an own database URL', AS_ROOT, async (t) => {
  const { folder, create, read } = await newSecrets(t)
  const [password, url] = ['p@ss/w#rd: é', path.join(folder, 'doorcode/database-url')]
  await writeFile(path.join(folder, 'postgres/owner-password'), `${password}\n`)
  await create()
  assert.equal(decodeURIComponent(new URL(await readFile(url, 'utf8')).password), password)
  await writeFile(url, 'postgres://shop:own@db.internal/shop')
  await create()
  assert.equal((await read())['doorcode/database-url'], 'postgres://shop:own@db.internal/shop')
})

test(
  'in compose a role that is not a superuser owns the database, and each start sets its password',
  WITH_PSQL,
  async (t) => {
    const folder = await temporaryFolder(t)
    const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), durable: false })
    t.after(() => server.stop())
    const { superuserUrl } = server
    const ask = (url: string, sql: string) => withConnection(url, async (client) => (await client.query(sql)).rows)
    for (const sql of [
      `alter database postgres owner to doorcode; drop role ${OWNER}`,
      `alter system set log_statement = 'all'`,
      'create database doorcode',
      'select pg_reload_conf()',
    ])
      await ask(superuserUrl, sql)
    await writeFile(path.join(folder, 'postgres-password'), new URL(superuserUrl.replace('@/', '@localhost/')).password)
    const setPassword = (value: string) => writeFile(path.join(folder, 'owner-password'), `${value}\n`)
    const ownerUrl = (password: string): string => {
      const url = new URL(urlOf(superuserUrl, 'doorcode'))
      return Object.assign(url, { username: OWNER, password }).href
    }
    const env = {
      PATH: process.env['PATH'],
      PGHOST: new URL(ownerUrl('')).searchParams.get('host') ?? '',
      PGUSER: 'doorcode',
      PGDATABASE: 'doorcode',
    }
    const createOwner = () => run('bash', [script('create-owner.sh'), folder], { env })

    await setPassword(`it's "first" \\ :x`)
    assert.deepEqual(await createOwner(), { stdout: '', stderr: '' })
    await setPassword('second-secret')
    assert.deepEqual(await createOwner(), { stdout: '', stderr: '' })
    await assert.rejects(ask(ownerUrl(`it's "first" \\ :x`), 'select 1'), /password/)
    const [facts] = await ask(
      ownerUrl('second-secret'),
      `select rolsuper as superuser, pg_has_role('pg_monitor', 'usage') as monitors from pg_roles where rolname = current_user`,
    )
    assert.deepEqual(facts, { superuser: false, monitors: true })
    const db = openDb({ url: ownerUrl('second-secret'), poolSize: 1 })
    await migrate(db)
    await db.close()
    await assert.rejects(ask(ownerUrl('second-secret'), `copy (select 1) to program 'true'`), /permission denied/)
    const log = await readFile(path.join(folder, 'data/postgres/server.log'), 'utf8')
    assert.match(log, /statement: begin/)
    assert.doesNotMatch(log, /second-secret/)
  },
)
