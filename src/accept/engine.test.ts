import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_LOCK_WAIT_MS } from '../lib/db/pool.ts'
import { createLockWait } from './engine.ts'

test('a group that others wait behind waits for a locked row much shorter than a statement may', () => {
  assert.ok(createLockWait().shortMs() <= MAX_LOCK_WAIT_MS / 10)
})

test('slow inserts lengthen the wait of a group, at most to that of a statement', async () => {
  let now = 0
  const lockWait = createLockWait(() => now)
  const insert = (ms: number) => lockWait.during(() => Promise.resolve((now += ms)))
  const atFirst = lockWait.shortMs()
  for (let inserts = 0; inserts < 50; inserts += 1) await insert(60)
  assert.ok(lockWait.shortMs() > atFirst)
  for (let inserts = 0; inserts < 50; inserts += 1) await insert(900)
  assert.equal(lockWait.shortMs(), MAX_LOCK_WAIT_MS)
})

test('an insert that waited in vain does not lengthen the wait of the next group', async () => {
  let now = 0
  const lockWait = createLockWait(() => now)
  const before = lockWait.shortMs()
  const failed = lockWait.during(() => {
    now += 900
    return Promise.reject(new Error('locked'))
  })
  await assert.rejects(failed, /locked/)
  assert.equal(lockWait.shortMs(), before)
})
