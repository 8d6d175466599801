import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDatabase, dropDatabase, serverUrl, TEMPLATE_DATABASE, urlOf } from '../../../test/database/postgres.ts'
import { StartupError } from '../../lib/errors.ts'
import { openDb } from '../../lib/db/pool.ts'
import { type Seal, createSealingKey, newInstanceKey } from '../../lib/seal.ts'
import { addKey, removeOldKeys } from './key-file.ts'
import { openSeal } from './open.ts'
import { switchKey } from './rotate.ts'
import { temporaryFolder } from '../../../test/world/temporary-folder.ts'

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

test('another key is rejected, from the environment or the folder', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKeys: undefined, dataDir }, db)
  const several = [newInstanceKey(), newInstanceKey()]
  const [first, second] = several.map((key) => createSealingKey(key).fingerprint)
  await rejected(
    openSeal({ secretKeys: several.slice(0, 1), dataDir }, db),
    new RegExp(`DOORCODE_SECRET_KEY is not .* has the fingerprint ${first}\\. Start with the key .* created with`),
  )
  await rejected(
    openSeal({ secretKeys: several, dataDir }, db),
    new RegExp(`None of the 2 keys in DOORCODE_SECRET_KEY is .* have the fingerprints ${first}, ${second}\\.`),
  )
  await writeFile(path.join(dataDir, 'instance-key'), newInstanceKey().toString('base64'))
  await rejected(openSeal({ secretKeys: undefined, dataDir }, db), /instance-key is not the instance key/)
})

test('a start with only the former key names the key that the database uses', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const [old, next] = [randomBytes(32), randomBytes(32)]
  await openSeal({ secretKeys: [old], dataDir }, db)
  const seal = await openSeal({ secretKeys: [next, old], dataDir }, db)
  const [newest = '', former = ''] = fingerprintsOf(seal)
  await switchKey({ db, seal }, async (tx, { after }) => {
    const text = `insert into audit_log (id, at, who, action, target)
      values (gen_random_uuid(), now(), 'command line', 'secrets.rotated', $1)`
    await tx.rows({ name: 'record_rotation', text }, [after])
  })
  await rejected(
    openSeal({ secretKeys: [old], dataDir }, db),
    new RegExp(
      `has the fingerprint ${former}; the database uses the key with fingerprint ${newest}\\. Put that key before`,
    ),
  )
  await rejected(
    openSeal({ secretKeys: [randomBytes(32)], dataDir }, db),
    new RegExp(`the database uses the key with fingerprint ${newest}\\. Start with that key`),
  )
})

test('a lost key is not replaced by a new one', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await openSeal({ secretKeys: undefined, dataDir }, db)
  const file = path.join(dataDir, 'instance-key')
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  await rm(file)
  await rejected(openSeal({ secretKeys: undefined, dataDir }, db), /instance key of this database is missing/)
  await openSeal({ secretKeys: [key], dataDir }, db)
})

test('a new key waits in the key file until a rotation removes the old one', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const config = { secretKeys: undefined, dataDir }
  const first = await openSeal(config, db)
  const { fingerprint, key, file } = await addKey(config, first)
  assert.deepEqual([key, file], [undefined, path.join(dataDir, 'instance-key')])
  const both = await openSeal(config, db)
  assert.deepEqual(fingerprintsOf(both), [fingerprint, ...fingerprintsOf(first)])
  assert.equal(both.current().fingerprint, first.current().fingerprint)
  await assert.rejects(addKey(config, both), new RegExp(`begins with the key ${fingerprint}`))

  await switchKey({ db, seal: both }, async () => {})
  assert.equal(await removeOldKeys(config, both), true)
  const last = await openSeal(config, db)
  assert.deepEqual([fingerprintsOf(last), last.current().fingerprint], [[fingerprint], fingerprint])
  assert.equal((await stat(path.join(dataDir, 'instance-key'))).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(dataDir), ['instance-key'])
})

test('a new key for DOORCODE_SECRET_KEY is shown but not stored', async (t) => {
  const { db, dataDir } = await newInstance(t)
  const config = { secretKeys: [randomBytes(32)], dataDir }
  const { fingerprint, key, file } = await addKey(config, await openSeal(config, db))
  assert.equal(file, undefined)
  assert.equal(createSealingKey(Buffer.from(key ?? '', 'base64')).fingerprint, fingerprint)
  assert.deepEqual(await readdir(dataDir), [])
})

test('a new installation does not derive its sign-in secret from the key', async (t) => {
  const [one, other] = [await newInstance(t), await newInstance(t)]
  const secretKeys = [randomBytes(32)]
  const seals = await Promise.all([one, other].map(({ db, dataDir }) => openSeal({ secretKeys, dataDir }, db)))
  assert.notEqual(seals[0]?.signInSecret(), seals[1]?.signInSecret())
})

const fingerprintsOf = ({ keys }: Seal): string[] => keys.map(({ fingerprint }) => fingerprint)

test('a key file without a key is reported', async (t) => {
  const { db, dataDir } = await newInstance(t)
  await writeFile(path.join(dataDir, 'instance-key'), 'half a k')
  await rejected(openSeal({ secretKeys: undefined, dataDir }, db), /does not contain an instance key/)
  const key = newInstanceKey().toString('base64')
  await writeFile(path.join(dataDir, 'instance-key'), `${key}\n${key}\nhalf\n`)
  await rejected(openSeal({ secretKeys: undefined, dataDir }, db), /keys 1 and 2 are the same; key 3 of 3 is not a key/)
})

const rejected = (start: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(start, (error) => error instanceof StartupError && message.test(error.message))

let count = 0

/** A new database, since there is one instance row per database. */
async function newInstance(t: TestContext) {
  const name = `instance_${process.pid}_${(count += 1)}`
  await createDatabase(serverUrl(), name, TEMPLATE_DATABASE)
  const dataDir = await temporaryFolder(t)
  const db = openDb({ url: urlOf(serverUrl(), name), poolSize: 2 })
  t.after(async () => {
    await db.close()
    await dropDatabase(serverUrl(), name)
  })
  return { db, dataDir }
}
