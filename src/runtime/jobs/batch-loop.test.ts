import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Db } from '../../lib/db/pool.ts'
import { createBatchLoop } from './batch-loop.ts'
import { LOCKED_RETRY_MS } from './retry.ts'

type Item = { id: string; workspace_id: string; tries: number; dueAt: number }

/** Items in memory: those in `locked` need a row that another session holds. */
function startLoop(ids: readonly string[], locked: ReadonlySet<string>) {
  let nowMs = 1_800_000_000_000
  const due = new Map<string, Item>(ids.map((id) => [id, { id, workspace_id: 'shop', tries: 0, dueAt: nowMs }]))
  const sql = { rows: async () => [], row: async () => undefined }
  const db = { ...sql } as unknown as Db
  let looksTimeOut = false
  const take = async (now: Date): Promise<Item[]> =>
    [...due.values()]
      .filter(({ dueAt }) => dueAt <= now.getTime())
      .sort((one, other) => one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1))
  const loop = createBatchLoop<Item, void>(
    {
      db,
      clock: { now: () => new Date(nowMs) },
      log: pino({ level: 'silent' }),
      live: { changed: () => {} } as never,
      transaction: (run) => run(sql),
    },
    {
      name: 'test',
      pollMs: 1_000,
      maxItems: 500,
      async take(tx, now) {
        if (looksTimeOut && tx === db) throw Object.assign(new Error('statement timeout'), { code: '57014' })
        return take(now)
      },
      retake: async (_, item) => [item],
      async process(_, items) {
        if (items.some(({ id }) => locked.has(id)))
          throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
      },
      committed: (items) => items.forEach(({ id }) => due.delete(id)),
      async storeFault(_, item, { retryAt }) {
        due.set(item.id, { ...item, dueAt: retryAt?.getTime() ?? Number.POSITIVE_INFINITY })
        return [item]
      },
      countFaults: () => {},
    },
  )
  return {
    due,
    add: (id: string) => void due.set(id, { id, workspace_id: 'shop', tries: 0, dueAt: nowMs }),
    letLooksTimeOut: () => void (looksTimeOut = true),
    turn: async () => {
      await loop.turn()
      nowMs += LOCKED_RETRY_MS
    },
  }
}

test('items that wait for a locked row never keep an item behind them from being tried', async () => {
  const locked = new Set(['a', 'b', 'c', 'd'])
  const { due, turn } = startLoop([...locked, 'free'], locked)
  await turn()
  await turn()
  assert.deepEqual([...due.keys()].sort(), [...locked])
})

test('items are found by a transaction if a look without one takes too long', async () => {
  const { due, add, letLooksTimeOut, turn } = startLoop([], new Set())
  await turn()
  add('one')
  letLooksTimeOut()
  await assert.rejects(turn(), { code: '57014' })
  await turn()
  assert.deepEqual([...due], [])
})
