import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { LEFT_OUT } from '../../src/backup/tables.ts'
import { readCatalog } from '../catalog.ts'
import { runCommand } from '../command-line.ts'
import { INSTANCE_KEY } from '../node.ts'
import { createDatabase, dropDatabase, serverUrl, urlOf, withConnection } from '../postgres.ts'
import { type World, startWorld } from '../world.ts'

const PASSPHRASE = 'correct horse battery staple'
const KEY = INSTANCE_KEY.toString('base64')

test('a restored database has the schema and rows of the backup', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp()
  await world.settled()
  await world.first.stop()
  const { file } = await newFile(t)
  const made = await command(['backup', file], { DATABASE_URL: world.databaseUrl, DOORCODE_SECRET_KEY: KEY })
  const url = await emptyDatabase(t)
  const restored = await command(['restore', file], { DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.deepEqual([restored['rows'], restored['tables']], [made['rows'], made['tables']])
  assert.deepEqual(await readCatalog(url), await readCatalog(world.databaseUrl))
  assert.deepEqual(await digests(url), await digests(world.databaseUrl))
})

async function newFile(t: TestContext) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-backup-'))
  t.after(() => rm(folder, { recursive: true }))
  return { folder, file: path.join(folder, 'doorcode.backup') }
}

let databases = 0

async function emptyDatabase(t: TestContext): Promise<string> {
  const name = `restored_${process.pid}_${++databases}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  return urlOf(serverUrl(), name)
}

async function command(words: readonly string[], environment: Record<string, string>): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--json'], environment)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

/** A checksum of the rows of each table, but for those that a backup leaves out, and the audit entry of the restore. */
async function digests(url: string): Promise<Record<string, unknown>> {
  return withConnection(url, async (connection) => {
    const { rows: tables } = await connection.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relpersistence = 'p'
         and relnamespace in ('public'::regnamespace, 'auth'::regnamespace) order by 1`,
    )
    const digests: Record<string, unknown> = {}
    for (const { name } of tables) {
      if (name.replaceAll('"', '') in LEFT_OUT) continue
      const { rows } = await connection.query(
        `select count(*) as rows, md5(string_agg(r::text, e'\\n' order by r::text)) as md5 from ${name} r
         where ${name === 'audit_log' ? `action <> 'instance.restored'` : 'true'}`,
      )
      digests[name] = rows[0]
    }
    return digests
  })
}
