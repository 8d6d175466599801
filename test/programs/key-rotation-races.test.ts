import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DatabaseUnavailable } from '../../src/lib/db/connection.ts'
import type { Sql } from '../../src/lib/db/pool.ts'
import { createOtpAcceptor } from '../../src/otp/accept.ts'
import type { Seal } from '../../src/lib/seal.ts'
import { resealAll } from '../../src/operations/secrets/rotate.ts'
import { openQuotaMonths, quotaMonth, setQuota } from '../../src/workspaces/quota.ts'
import { addEndpoint, connectAccount } from '../world/set-up.ts'
import { spyOnDb } from '../database/db-spy.ts'
import { lockInAnotherSession } from '../faults/lock-in-another-session.ts'
import { ALL, assertOpensWith, openedBy, startRotation } from '../world/rotation.ts'
import { openTestSeal } from '../database/seal.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, newPhone } from '../world/world.ts'

/** Accepts a code like the API of a node that knows these keys. */
const acceptCode = (
  { parts, workspaceId, senderId }: World,
  { db, seal, idempotencyKey = randomUUID() }: { db: Sql; seal: Seal; idempotencyKey?: string | null },
) =>
  createOtpAcceptor({ ...parts, db, seal })({
    workspaceId,
    apiKeyId: 'aaaaaaaaaaaa',
    correlationId: randomUUID(),
    idempotencyKey,
    recipient: newPhone(),
    senderId,
    template: { name: 'login_code', language: 'en_US' },
    code: '493817',
    reference: null,
  })

test('a node that was frozen through a rotation stores its code under the new key', async (t) => {
  const { world, old, next, rotate } = await startRotation(t)
  const { db } = world.parts
  const [frozen, thaw] = [newPromise(), newPromise()]
  const slow = spyOnDb(db, async ({ statement, run }) => {
    const rows = await run()
    if (statement.name === 'look_up_otp_requests') frozen.resolve()
    await thaw.promise
    return rows
  })
  const accepting = acceptCode(world, { db: slow, seal: await openTestSeal(db, [next, old]) })
  await frozen.promise
  await rotate()
  thaw.resolve()
  const { messageId } = await accepting
  const [row] = await world.query<{ code: Buffer }>('select code from messages where id = $1', [messageId])
  assert.ok(openedBy(next, row?.code, { messageId }))
})

test('a node that still seals with the old key stores tokens and secrets under the new one', async (t) => {
  const { world, old, next, rotate } = await startRotation(t)
  const behind = await openTestSeal(world.parts.db, [next, old])
  await rotate()
  assert.equal(behind.current(), behind.keys[1])
  const { workspaceId } = world
  await addEndpoint({ ...world.parts, seal: behind }, { workspaceId, url: 'http://127.0.0.1:9/hook' })
  const again = await openTestSeal(world.parts.db, [next, old])
  again.use({ key: again.keys[1] ?? assert.fail(), signInSecret: again.signInSecret() })
  await connectAccount({ ...world.parts, seal: again }, world.credentials)
  await assertOpensWith(world, next)
})

test('a node that knows only the old key accepts no code after the rotation', async (t) => {
  const { world, old, next, rotate } = await startRotation(t)
  const { db } = world.parts
  const stale = await openTestSeal(db, [old])
  await rotate()
  const stored = () => world.query('select id from messages where workspace_id = $1', [world.workspaceId])
  const before = await stored()
  await assert.rejects(acceptCode(world, { db, seal: stale }), { name: 'ApiError', code: 'SERVICE_UNAVAILABLE' })
  assert.deepEqual(await stored(), before)
  await assertOpensWith(world, next)
})

test('a rotation waits for a code that was being stored during the switch', async (t) => {
  const { world, begin, seal, old, next } = await startRotation(t)
  const { db } = world.parts
  const [stored, commit, waits] = [newPromise(), newPromise(), newPromise()]
  const storing = db.transaction(async (tx) => {
    const accepted = await acceptCode(world, { db: tx, seal: await openTestSeal(db, [next, old]) })
    stored.resolve()
    await commit.promise
    return accepted
  })
  await stored.promise
  let looks = 0
  const watched = spyOnDb(db, ({ statement, run }) => {
    if (statement.name === 'list_transactions_that_write_messages' && ++looks === 2) waits.resolve()
    return run()
  })
  await begin()
  const resealing = resealAll({ db: watched, seal }, ALL)
  await Promise.race([waits.promise, resealing])
  commit.resolve()
  const { resealed } = await resealing
  const { messageId } = await storing
  assert.equal(resealed['messages.code'], 1)
  const [row] = await world.query<{ code: Buffer }>('select code from messages where id = $1', [messageId])
  assert.ok(openedBy(next, row?.code, { messageId }))
})

test('a rotation names a session that does not end what it writes, and finishes after it', async (t) => {
  const { world, begin, seal, next } = await startRotation(t)
  const { db } = world.parts
  const { messageId } = await world.sendOtp()
  const end = await lockInAnotherSession(t, db, 'update messages set reference = null where id = $1', messageId)
  await begin()
  await assert.rejects(resealAll({ db, seal }, { ...ALL, maxWriteMs: 0 }), /former key: \d+\. End them/)
  await end()
  await resealAll({ db, seal }, ALL)
  await assertOpensWith(world, next)
})

test('a rotation names a prepared transaction that wrote messages, and finishes after it', async (t) => {
  const { world, begin, seal, next } = await startRotation(t)
  const { db } = world.parts
  const { messageId } = await world.sendOtp()
  const gid = randomUUID()
  const session = await db.connect()
  t.after(() => session.end())
  await session.query('begin')
  await session.query('update messages set reference = null where id = $1', [messageId])
  await session.query(`prepare transaction '${gid}'`)
  await begin()
  try {
    await assert.rejects(resealAll({ db, seal }, { ...ALL, maxWriteMs: 0 }), new RegExp(`former key: ${gid}\\. End`))
  } finally {
    await session.query(`rollback prepared '${gid}'`)
  }
  await resealAll({ db, seal }, ALL)
  await assertOpensWith(world, next)
})

test('a code whose answer was lost during a switch is accepted once, with no unit to spare', async (t) => {
  const { world, begin, seal, old, next } = await startRotation(t)
  const { db } = world.parts
  const { workspaceId } = world
  await setQuota(db, { workspaceId, kind: 'otp', monthlyUnits: 1 })
  await openQuotaMonths(db, [{ workspace_id: workspaceId, kind: 'otp', month: quotaMonth(world.clock.now()) }])
  const [stored, commit] = [newPromise(), newPromise()]
  let storing: Promise<void> | undefined
  const losing = spyOnDb(db, async ({ statement, values, run }) => {
    if (statement.name !== 'insert_otp_messages_within_quota' || storing) return run()
    storing = db.transaction(async (tx) => {
      await tx.rows(statement, values)
      stored.resolve()
      await commit.promise
    })
    await stored.promise
    await begin()
    throw new DatabaseUnavailable(new Error('read ECONNRESET'), { mayBeCommitted: true })
  })
  const accepting = acceptCode(world, { db: losing, seal: await openTestSeal(db, [next, old]), idempotencyKey: null })
  await waitFor('the repeat to wait for the quota', async () => (await world.query(WAITS_FOR_QUOTA)).length > 0)
  commit.resolve()
  await storing
  const { messageId } = await accepting
  assert.deepEqual(await world.query('select id from messages where workspace_id = $1', [workspaceId]), [
    { id: messageId },
  ])
  await resealAll({ db, seal }, ALL)
  await assertOpensWith(world, next)
})

const WAITS_FOR_QUOTA = `select from pg_locks w where not w.granted and w.pid in (
  select pid from pg_locks where relation = 'quota_usage'::regclass and granted)`

const newPromise = () => Promise.withResolvers<void>()
