import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import { MINUTE_MS, movedClock } from '../clock.ts'
import { type Db, type Statement, openDb } from '../db.ts'
import { createLog } from '../log.ts'
import { WorkspaceUnknown, createKey, expireKey, openKeyRing, revokeKey, revokeKeyOf } from './keys.ts'
import { createWorkspace } from './workspaces.ts'

const log = createLog('silent')

/** A database whose statements are counted, and fail on command. */
function watched(db: Db): Db & { ran: string[]; unreachable: boolean } {
  const watch = {
    ...db,
    ran: [] as string[],
    unreachable: false,
    rows: async <Row>(statement: Statement<Row>, values?: Parameters<Db['rows']>[1]): Promise<Row[]> => {
      watch.ran.push(statement.name)
      if (watch.unreachable) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
      return db.rows(statement, values)
    },
  }
  return watch
}

async function startRing(t: TestContext) {
  const db = watched(openDb({ url: await fileDatabase(), poolSize: 2 }))
  const clock = movedClock()
  let passedMs = 0
  const ring = openKeyRing({ db, clock, log, monotonicMs: () => performance.now() + passedMs })
  t.after(async () => {
    db.unreachable = false
    await ring.close()
    await db.close()
  })
  const { workspaceId } = await createWorkspace({ db, clock }, { name: 'keys', sandbox: false })
  const key = await createKey(db, clock, { workspaceId, name: 'first' })
  return {
    db,
    clock,
    ring,
    workspaceId,
    key,
    authorization: `Bearer ${key.apiKey}`,
    pass: (ms: number) => {
      passedMs += ms
    },
    lastUsedAt: async () => {
      const row = await db.row<{ last_used_at: Date | null }>(
        { name: 'test_last_used_at', text: 'select last_used_at from api_keys where public_id = $1' },
        [key.publicId],
      )
      return row?.last_used_at ?? undefined
    },
  }
}

test('a key stands for its workspace, and only its hash is stored', async (t) => {
  const { ring, db, authorization, key, workspaceId } = await startRing(t)
  const found = await ring.find(authorization)
  assert.equal(found?.workspaceId, workspaceId)
  assert.equal(found?.publicId, key.publicId)
  const rows = await db.rows({ name: 'test_all_keys', text: 'select k::text from api_keys k' })
  assert.equal(JSON.stringify(rows).includes(key.apiKey.slice(-43)), false)
})

test('a key cannot be created in a workspace that does not exist', async (t) => {
  const { db, clock } = await startRing(t)
  const nowhere = { workspaceId: '01994f60-7a1c-7cc3-98c5-000000000000', name: 'x' }
  await assert.rejects(createKey(db, clock, nowhere), WorkspaceUnknown)
})

test('a remembered key costs no statement, also with a wrong secret', async (t) => {
  const { ring, db, authorization } = await startRing(t)
  await ring.find(authorization)
  db.ran.length = 0
  assert.ok(!(ring.find(authorization) instanceof Promise))
  assert.equal(ring.find(`${authorization.slice(0, -1)}${authorization.endsWith('A') ? 'B' : 'A'}`), undefined)
  assert.deepEqual(db.ran, [])
})

test('the keys of one turn are read in one statement', async (t) => {
  const { ring, db, clock, workspaceId } = await startRing(t)
  const keys = await Promise.all([1, 2, 3].map(() => createKey(db, clock, { workspaceId, name: 'many' })))
  db.ran.length = 0
  const found = await Promise.all([...keys, ...keys].map(async ({ apiKey }) => ring.find(`Bearer ${apiKey}`)))
  assert.equal(found.filter(Boolean).length, 6)
  assert.deepEqual(db.ran, ['read_api_keys'])
})

test('an unknown key asks the database at most once a second', async (t) => {
  const { ring, db, pass } = await startRing(t)
  const unknown = `Bearer dck_aaaaaaaaaaaa_${'A'.repeat(43)}`
  db.ran.length = 0
  for (let count = 0; count < 5; count += 1) assert.equal(await ring.find(unknown), undefined)
  assert.deepEqual(db.ran, ['read_api_keys'])
  pass(1_000)
  await ring.find(unknown)
  assert.equal(db.ran.length, 2)
})

test('a key works until the instant it expires, and not from then on', async (t) => {
  const { ring, db, clock, workspaceId } = await startRing(t)
  const expiresAt = new Date(clock.now().getTime() + MINUTE_MS)
  const { apiKey } = await createKey(db, clock, { workspaceId, name: 'short', expiresAt })
  assert.ok(await ring.find(`Bearer ${apiKey}`))
  clock.advance(MINUTE_MS)
  assert.equal(await ring.find(`Bearer ${apiKey}`), undefined)
})

test('a revoked key stops within a second on a node that follows revocations', async (t) => {
  const { ring, db, authorization, key } = await startRing(t)
  ring.watch()
  assert.ok(await ring.find(authorization))
  assert.equal(await revokeKey(db, key.publicId), true)
  await until('the key to stop', async () => (await ring.find(authorization)) === undefined, 1_000)
})

test('a revoked key stops after 900 ms on a node whose polls do not run', async (t) => {
  const { ring, db, authorization, key, pass } = await startRing(t)
  assert.ok(await ring.find(authorization))
  await revokeKey(db, key.publicId)
  pass(901)
  assert.equal(await ring.find(authorization), undefined)
})

test('a remembered key is not trusted while the database cannot be reached', async (t) => {
  const { ring, db, authorization, pass } = await startRing(t)
  assert.ok(await ring.find(authorization))
  db.unreachable = true
  assert.ok(ring.find(authorization), 'for a moment it is')
  pass(901)
  await assert.rejects(async () => ring.find(authorization), /gone/)
  db.unreachable = false
  assert.ok(await ring.find(authorization))
})

test('revoking again changes nothing, and an unknown key cannot be revoked', async (t) => {
  const { db, key } = await startRing(t)
  const read = () =>
    db.row({ name: 'test_revoked_at', text: 'select revoked_at from api_keys where public_id = $1' }, [key.publicId])
  assert.equal(await revokeKey(db, key.publicId), true)
  const first = await read()
  assert.equal(await revokeKey(db, key.publicId), true)
  assert.deepEqual(await read(), first)
  assert.equal(await revokeKey(db, 'aaaaaaaaaaaa'), false)
})

test('the last use is noted off the request’s way, and once a minute', async (t) => {
  const { ring, clock, authorization, pass, lastUsedAt, db } = await startRing(t)
  assert.equal(await lastUsedAt(), undefined)
  await ring.find(authorization)
  assert.equal(db.ran.includes('note_api_key_uses'), false)
  await ring.close()
  const first = await lastUsedAt()
  assert.ok(first)
  await ring.find(authorization)
  await ring.close()
  assert.deepEqual(await lastUsedAt(), first)
  pass(MINUTE_MS)
  clock.advance(MINUTE_MS)
  await ring.find(authorization)
  await ring.close()
  assert.ok(((await lastUsedAt()) ?? first) > first)
})

test('an expiry that is set later reaches a node that remembers the key within a second', async (t) => {
  const { ring, db, clock, authorization, key, workspaceId } = await startRing(t)
  ring.watch()
  assert.ok(await ring.find(authorization))
  const expiresAt = await expireKey(db, { workspaceId, publicId: key.publicId, expiresAt: clock.now() })
  assert.ok(expiresAt)
  await until('the key to stop', async () => (await ring.find(authorization)) === undefined, 1_000)
})

test('an expiry is never put off, and another workspace’s key has none', async (t) => {
  const { db, clock, key, workspaceId } = await startRing(t)
  const other = await createWorkspace({ db, clock }, { name: 'other', sandbox: false })
  const of = { workspaceId, publicId: key.publicId }
  const early = new Date(clock.now().getTime() + MINUTE_MS)
  assert.deepEqual(await expireKey(db, { ...of, expiresAt: early }), early)
  assert.deepEqual(await expireKey(db, { ...of, expiresAt: new Date(early.getTime() + MINUTE_MS) }), early)
  assert.equal(await expireKey(db, { ...of, workspaceId: other.workspaceId, expiresAt: early }), undefined)
  assert.equal(await revokeKeyOf(db, { ...of, workspaceId: other.workspaceId }), false)
})
