import { type Clock, later } from '../../lib/clock.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import {
  type Db,
  type Sql,
  type TransactionLimits,
  isConflict,
  isDatabaseUnavailable,
  isLockTimeout,
} from '../../lib/db/pool.ts'
import type { Log } from '../../lib/log.ts'
import { RETRY_OUTCOMES, type RetryDecision, decideRetry, retryLockedRow } from './retry.ts'
import type { LiveUpdates } from './live.ts'
import type { Loop } from './loop.ts'

/** `tries`: failed attempts so far. */
export type DueItem = { id: string; workspace_id: string; tries: number }

/** Due rows of a table, processed in batches and, after a fault, one by one. */
type BatchWork<Item extends DueItem, Result> = {
  name: string
  pollMs: number
  /** After a full batch the next turn follows immediately. */
  maxItems: number
  /** Locks the due items, skipping those that another transaction has locked. */
  take(tx: Sql, now: Date): Promise<Item[]>
  /** Locks one item again. Empty if it is no longer due, or locked. */
  retake(tx: Sql, item: Item, now: Date): Promise<Item[]>
  process(tx: Sql, items: readonly Item[], now: Date): Promise<Result>
  /** Runs after the commit. */
  committed?(items: readonly Item[], result: Result): void
  /** Stores the fault unless the item has changed: then it returns no row. */
  storeFault(db: Db, item: Item, fault: RetryDecision): Promise<readonly unknown[]>
  /** In the metrics. */
  countFaults(outcome: RetryDecision['outcome'], faults: number): void
}

type BatchParts = {
  db: Db
  clock: Clock
  log: Log
  live: LiveUpdates
  transaction: <Result>(run: (tx: Sql) => Promise<Result>, limits?: TransactionLimits) => Promise<Result>
}

/**
 * Lock waits allowed per workspace in one turn; then its other items are postponed untried. Many items may need the same
 * locked row, such as an endpoint.
 */
const MAX_LOCK_WAITS = 3
const UNTRIED_EARLIER_MS = 1
/**
 * An item that is tried alone hardly waits: its batch has just waited, and items of many workspaces may need rows of one
 * frozen node. A turn with 500 such items waits for a second.
 */
export const LONE_LOCK_WAIT_MS = 2
const MAX_REMEMBERED_LOCKS = 10_000

export function createBatchLoop<Item extends DueItem, Result>(
  { db, clock, log, live, transaction }: BatchParts,
  work: BatchWork<Item, Result>,
): Loop {
  const { name, pollMs, maxItems } = work
  /** When an item was first found locked, until it is processed. */
  const lockedSince = new BoundedMap<string, Date>(MAX_REMEMBERED_LOCKS)
  let wasIdle = false
  // An alert sees no increase in a counter that first appears as 1.
  for (const outcome of RETRY_OUTCOMES) work.countFaults(outcome, 0)

  return {
    name,
    pollMs,
    async turn() {
      const now = clock.now()
      // A look without a transaction costs an idle instance a third. After one that took too long, the next turn has a transaction's time.
      const mayLook = wasIdle
      wasIdle = false
      if (mayLook && (await work.take(db, now)).length === 0) return toTurn(0)
      try {
        return toTurn(await processTaken((tx) => work.take(tx, now), now))
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        const text = 'a batch of background work failed; its items are now processed one by one'
        log.warn({ err: error, loop: name }, text)
        return toTurn(await processOneByOne(clock.now()))
      }
    },
  }

  function toTurn(items: number): { more: boolean; idle: boolean } {
    wasIdle = items === 0
    return { more: items >= maxItems, idle: wasIdle }
  }

  async function processTaken(
    take: (tx: Sql) => Promise<Item[]>,
    now: Date,
    limits?: TransactionLimits,
  ): Promise<number> {
    const done = await transaction(async (tx) => {
      const items = await take(tx)
      return items.length > 0 ? { items, result: await work.process(tx, items, now) } : undefined
    }, limits)
    if (!done) return 0
    for (const { id } of done.items) lockedSince.delete(id)
    work.committed?.(done.items, done.result)
    live.changed(done.items.map(({ workspace_id }) => workspace_id))
    return done.items.length
  }

  /** A failing item must not delay others: it is retried later and finally quarantined. */
  async function processOneByOne(now: Date): Promise<number> {
    const items = await work.take(db, now)
    const lockWaits = new Map<string, number>()
    for (const item of items) {
      const { id, workspace_id: workspaceId, tries } = item
      const waits = lockWaits.get(workspaceId) ?? 0
      const tried = { tries, now, lockedSince: lockedSince.get(id) }
      if (waits >= MAX_LOCK_WAITS) {
        lockedSince.set(id, tried.lockedSince ?? now)
        const { retryAt, ...decision } = retryLockedRow(tried)
        // Before those that were tried: otherwise the same items would be tried each time.
        await storeFault(item, { ...decision, retryAt: retryAt && later(retryAt, -UNTRIED_EARLIER_MS) })
        continue
      }
      try {
        await processTaken((tx) => work.retake(tx, item, now), now, { lockMs: LONE_LOCK_WAIT_MS })
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        if (isLockTimeout(error)) lockWaits.set(workspaceId, waits + 1)
        if (isConflict(error)) lockedSince.set(id, tried.lockedSince ?? now)
        const fault = decideRetry(error, tried)
        log.error({ err: error, loop: name, id, outcome: fault.outcome }, 'an item of background work failed')
        if (!(await storeFault(item, fault))) continue
        work.countFaults(fault.outcome, 1)
        live.changed([workspaceId])
      }
    }
    return items.length
  }

  /** Also returns false if the row is locked: `take` skips it until it is free. */
  async function storeFault(item: Item, fault: RetryDecision): Promise<boolean> {
    try {
      return (await work.storeFault(db, item, fault)).length > 0
    } catch (error) {
      if (isLockTimeout(error)) return false
      throw error
    }
  }
}
