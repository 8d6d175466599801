import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDatabase, dropDatabase, serverUrl, TEMPLATE_DATABASE, urlOf } from '../test/postgres.ts'
import { CannotStart } from './cannot-start.ts'
import { openDb } from './db.ts'
import { openSeal } from './instance.ts'
import { newInstanceKey } from './seal.ts'

test('the key is made once, for its owner alone, and the next start opens what it sealed', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const sealed = (await openSeal({ secretKey: undefined, dataDir }, db)).close('a token', 'here')
  assert.equal((await openSeal({ secretKey: undefined, dataDir }, db)).open(sealed, 'here'), 'a token')
  assert.equal((await stat(path.join(dataDir, 'instance-key'))).mode & 0o777, 0o600)
})

test('two first starts at once agree on one key', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const [one, other] = await Promise.all([
    openSeal({ secretKey: undefined, dataDir }, db),
    openSeal({ secretKey: undefined, dataDir }, db),
  ])
  assert.equal(other.open(one.close('a token', 'here'), 'here'), 'a token')
})

test('a start with another key is refused, whether it comes from the environment or from the folder', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKey: undefined, dataDir }, db)
  const other = newInstanceKey()
  await refused(openSeal({ secretKey: Buffer.from(other, 'base64'), dataDir }, db), /DOORCODE_SECRET_KEY is not/)
  await writeFile(path.join(dataDir, 'instance-key'), other)
  await refused(openSeal({ secretKey: undefined, dataDir }, db), /instance-key is not the instance key/)
})

test('a key that was lost is not replaced by a new one', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKey: undefined, dataDir }, db)
  const file = path.join(dataDir, 'instance-key')
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  await rm(file)
  await refused(openSeal({ secretKey: undefined, dataDir }, db), /the instance key is missing/)
  await openSeal({ secretKey: key, dataDir }, db)
})

test('a key file that holds no key is told as such', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await writeFile(path.join(dataDir, 'instance-key'), 'half a k')
  await refused(openSeal({ secretKey: undefined, dataDir }, db), /does not hold an instance key/)
})

const refused = (start: Promise<unknown>, told: RegExp): Promise<void> =>
  assert.rejects(start, (error) => error instanceof CannotStart && told.test(error.message))

let count = 0

/** A database of its own: its instance row is what the tests are about. */
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
