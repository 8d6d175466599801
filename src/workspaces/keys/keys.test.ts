import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../../../test/database/database.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { createMovedClock } from '../../../test/faults/moved-clock.ts'
import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import { type Db, type Statement, openDb } from '../../lib/db/pool.ts'
import { createLog } from '../../lib/log.ts'
import { createKey, createKeyAuthenticator, expireKey, revokeKey } from './keys.ts'
import { createWorkspace } from '../workspaces.ts'

const log = createLog('silent')

/** A database that counts its statements, can be made to fail, and can look like another server to polls. */
function watched(db: Db): Db & { ran: string[]; unreachable: boolean; server: string } {
  const watch = {
    ...db,
    ran: [] as string[],
    unreachable: false,
    server: 'the first primary',
    rows: async <Row>(statement: Statement<Row>, values?: Parameters<Db['rows']>[1]): Promise<Row[]> => {
      watch.ran.push(statement.name)
      if (watch.unreachable) throw new DatabaseUnavailable(new Error('gone'))
      return db.rows(statement, values)
    },
    row: async <Row>(statement: Statement<Row>, values?: Parameters<Db['row']>[1]): Promise<Row | undefined> => {
      const row = (await watch.rows(statement, values))[0]
      return row && { ...row, server: watch.server }
    },
  }
  return watch
}

async function startAuthenticator(t: TestContext) {
  const db = watched(openDb({ url: await fileDatabase(), poolSize: 2 }))
  const clock = createMovedClock()
  let passedMs = 0
  const authenticator = createKeyAuthenticator({ db, clock, log }, () => performance.now() + passedMs)
  t.after(async () => {
    db.unreachable = false
    await authenticator.close()
    await db.close()
  })
  const { workspaceId } = await createWorkspace(db, clock, { name: 'keys', sandbox: false })
  const key = await createKey(db, clock, { workspaceId, name: 'first' })
  return {
    db,
    clock,
    authenticator,
    workspaceId,
    key: { ...key, workspaceId },
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

test('a key identifies its workspace, and only its hash is stored', async (t) => {
  const { authenticator, db, authorization, key, workspaceId } = await startAuthenticator(t)
  const authenticated = await authenticator.find(authorization)
  assert.equal(authenticated?.workspaceId, workspaceId)
  assert.equal(authenticated?.publicId, key.publicId)
  const rows = await db.rows({ name: 'test_all_keys', text: 'select k::text from api_keys k' })
  assert.equal(JSON.stringify(rows).includes(key.apiKey.slice(-43)), false)
})

test('a key cannot be created in a workspace that does not exist', async (t) => {
  const { db, clock } = await startAuthenticator(t)
  const unknownWorkspace = { workspaceId: '01994f60-7a1c-7cc3-98c5-000000000000', name: 'x' }
  await assert.rejects(createKey(db, clock, unknownWorkspace), /No workspace has the id/)
})

test('a cached key costs no statement, even with a wrong secret', async (t) => {
  const { authenticator, db, authorization } = await startAuthenticator(t)
  await authenticator.find(authorization)
  db.ran.length = 0
  assert.ok(!(authenticator.find(authorization) instanceof Promise))
  assert.equal(authenticator.find(`${authorization.slice(0, -1)}${authorization.endsWith('A') ? 'B' : 'A'}`), undefined)
  assert.deepEqual(db.ran, [])
})

test('keys requested together are read in one statement', async (t) => {
  const { authenticator, db, clock, workspaceId } = await startAuthenticator(t)
  const keys = await Promise.all([1, 2, 3].map(() => createKey(db, clock, { workspaceId, name: 'many' })))
  db.ran.length = 0
  const authenticated = await Promise.all(
    [...keys, ...keys].map(async ({ apiKey }) => authenticator.find(`Bearer ${apiKey}`)),
  )
  assert.equal(authenticated.filter(Boolean).length, 6)
  assert.deepEqual(db.ran, ['read_api_keys'])
})

test('an unknown key is read at most once a second', async (t) => {
  const { authenticator, db, pass } = await startAuthenticator(t)
  const unknown = `Bearer dck_aaaaaaaaaaaa_${'A'.repeat(43)}`
  db.ran.length = 0
  for (let count = 0; count < 5; count += 1) assert.equal(await authenticator.find(unknown), undefined)
  assert.deepEqual(db.ran, ['read_api_keys'])
  pass(1_000)
  await authenticator.find(unknown)
  assert.equal(db.ran.length, 2)
})

test('a key works until the instant it expires', async (t) => {
  const { authenticator, db, clock, workspaceId } = await startAuthenticator(t)
  const expiresAt = new Date(clock.now().getTime() + MINUTE_MS)
  const { apiKey } = await createKey(db, clock, { workspaceId, name: 'short', expiresAt })
  assert.ok(await authenticator.find(`Bearer ${apiKey}`))
  clock.advance(MINUTE_MS)
  assert.equal(await authenticator.find(`Bearer ${apiKey}`), undefined)
})

test('a revocation takes effect though its commit waited for half an hour', async (t) => {
  const { authenticator, db, authorization, key } = await startAuthenticator(t)
  authenticator.watch()
  assert.ok(await authenticator.find(authorization))
  const revoke = `update api_keys set revoked_at = clock_timestamp() - interval '30 minutes' where public_id = $1`
  await db.rows({ name: 'test_revoke_long_ago', text: revoke }, [key.publicId])
  await waitFor('the key to stop', async () => (await authenticator.find(authorization)) === undefined, 1_000)
})

test('a revoked key stops after 900 ms on a node without polls', async (t) => {
  const { authenticator, db, authorization, key, pass } = await startAuthenticator(t)
  assert.ok(await authenticator.find(authorization))
  await revokeKey(db, key)
  pass(901)
  assert.equal(await authenticator.find(authorization), undefined)
})

test('keys that were revoked or expired while no request came are rejected, and polls go on', async (t) => {
  const { db, clock, authenticator, key, authorization, pass } = await startAuthenticator(t)
  const other = await createKey(db, clock, { workspaceId: key.workspaceId, name: 'second' })
  const authorizations = [authorization, `Bearer ${other.apiKey}`]
  const polls = () => db.ran.filter((name) => name === 'list_recently_changed_api_keys').length
  authenticator.watch()
  for (const each of authorizations) assert.ok(await authenticator.find(each))
  await waitFor('a poll', () => polls() > 0)
  pass(20_000) // polls pause
  await revokeKey(db, key)
  await expireKey(db, { ...key, publicId: other.publicId, expiresAt: clock.now() })
  for (const each of authorizations) assert.equal(await authenticator.find(each), undefined)
  const pollsBefore = polls()
  await waitFor('another poll', () => polls() > pollsBefore)
})

test('a key that a failover lost stops even if no poll fails or reports it', async (t) => {
  const { authenticator, db, authorization, key } = await startAuthenticator(t)
  authenticator.watch()
  assert.ok(await authenticator.find(authorization))
  await db.rows({ name: 'test_delete_key', text: 'delete from api_keys where public_id = $1' }, [key.publicId])
  assert.ok(await authenticator.find(authorization), 'it is cached')
  db.server = 'the standby that was promoted'
  await waitFor('the key to stop', async () => (await authenticator.find(authorization)) === undefined, 1_000)
})

test('a cached key expires while the database cannot be reached', async (t) => {
  const { authenticator, db, authorization, pass } = await startAuthenticator(t)
  assert.ok(await authenticator.find(authorization))
  db.unreachable = true
  assert.ok(authenticator.find(authorization), 'for a moment it is')
  pass(901)
  await assert.rejects(async () => authenticator.find(authorization), /gone/)
  db.unreachable = false
  assert.ok(await authenticator.find(authorization))
})

test('revoking again changes nothing, and an unknown key cannot be revoked', async (t) => {
  const { db, key } = await startAuthenticator(t)
  const read = () =>
    db.row({ name: 'test_revoked_at', text: 'select revoked_at from api_keys where public_id = $1' }, [key.publicId])
  assert.ok(await revokeKey(db, key))
  const first = await read()
  assert.equal(await revokeKey(db, key), false)
  assert.deepEqual(await read(), first)
  assert.equal(await revokeKey(db, { ...key, publicId: 'aaaaaaaaaaaa' }), false)
})

test('the last use is recorded in the background, once a minute', async (t) => {
  const { authenticator, clock, authorization, pass, lastUsedAt, db } = await startAuthenticator(t)
  assert.equal(await lastUsedAt(), undefined)
  await authenticator.find(authorization)
  assert.equal(db.ran.includes('update_api_key_uses'), false)
  await authenticator.close()
  const first = await lastUsedAt()
  assert.ok(first)
  await authenticator.find(authorization)
  await authenticator.close()
  assert.deepEqual(await lastUsedAt(), first)
  pass(MINUTE_MS)
  clock.advance(MINUTE_MS)
  await authenticator.find(authorization)
  await authenticator.close()
  assert.ok(((await lastUsedAt()) ?? first) > first)
})

test('an expiry is never postponed or set on another workspace’s key', async (t) => {
  const { db, clock, key, workspaceId } = await startAuthenticator(t)
  const other = await createWorkspace(db, clock, { name: 'other', sandbox: false })
  const of = { workspaceId, publicId: key.publicId }
  const early = new Date(clock.now().getTime() + MINUTE_MS)
  assert.deepEqual(await expireKey(db, { ...of, expiresAt: early }), early)
  assert.deepEqual(await expireKey(db, { ...of, expiresAt: new Date(early.getTime() + MINUTE_MS) }), early)
  assert.equal(await expireKey(db, { ...of, workspaceId: other.workspaceId, expiresAt: early }), undefined)
  assert.equal(await revokeKey(db, { ...of, workspaceId: other.workspaceId }), false)
})
