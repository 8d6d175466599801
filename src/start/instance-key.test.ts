import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDatabase, dropDatabase, serverUrl, TEMPLATE_DATABASE, urlOf } from '../../test/postgres.ts'
import { StartupError } from '../startup-error.ts'
import { openDb } from '../db/pool.ts'
import { openSeal } from './instance-key.ts'
import { newInstanceKey } from '../seal.ts'

test('the key is created once with mode 0600, and the next start uses it', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const sealed = (await openSeal({ secretKeys: undefined, dataDir }, db)).close('a token', 'here')
  assert.equal((await openSeal({ secretKeys: undefined, dataDir }, db)).open(sealed, 'here'), 'a token')
  assert.equal((await stat(path.join(dataDir, 'instance-key'))).mode & 0o777, 0o600)
})

test('two concurrent first starts use one key', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const [one, other] = await Promise.all([
    openSeal({ secretKeys: undefined, dataDir }, db),
    openSeal({ secretKeys: undefined, dataDir }, db),
  ])
  assert.equal(other.open(one.close('a token', 'here'), 'here'), 'a token')
})

test('another key is refused, from the environment or the folder', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKeys: undefined, dataDir }, db)
  const other = newInstanceKey()
  await refused(openSeal({ secretKeys: [Buffer.from(other, 'base64')], dataDir }, db), /DOORCODE_SECRET_KEY is not/)
  await writeFile(path.join(dataDir, 'instance-key'), other)
  await refused(openSeal({ secretKeys: undefined, dataDir }, db), /instance-key is not the instance key/)
})

test('a lost key is not replaced by a new one', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKeys: undefined, dataDir }, db)
  const file = path.join(dataDir, 'instance-key')
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  await rm(file)
  await refused(openSeal({ secretKeys: undefined, dataDir }, db), /instance key of this database is missing/)
  await openSeal({ secretKeys: [key], dataDir }, db)
})

test('a key file without a key is reported', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await writeFile(path.join(dataDir, 'instance-key'), 'half a k')
  await refused(openSeal({ secretKeys: undefined, dataDir }, db), /does not contain an instance key/)
})

const refused = (start: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(start, (error) => error instanceof StartupError && message.test(error.message))

let count = 0

/** A new database, since there is one instance row per database. */
async function newInstance(t: TestContext) {
  const name = `instance_${process.pid}_${(count += 1)}`
  await createDatabase(serverUrl(), name, TEMPLATE_DATABASE)
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'doorcode-instance-'))
  const db = openDb({ url: urlOf(serverUrl(), name), poolSize: 2 })
  t.after(async () => {
    await db.close()
    await dropDatabase(serverUrl(), name)
    await rm(dataDir, { recursive: true })
  })
  return { db, dataDir }
}
