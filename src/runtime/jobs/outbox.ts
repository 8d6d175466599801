import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Db, statement } from '../../lib/db/pool.ts'
import { throttle } from '../../lib/throttle.ts'

/** Sends ids to other nodes by NOTIFY, as "kind id id …", on a connection of the pool. Never fails or waits. */
export type Outbox = { put(kind: string, id: string): void; stop(): Promise<void> }

/** 37 bytes each; a payload may have 8,000. The rest follows in the next notification. */
const MAX_IDS_PER_NOTIFY = 200

/** The minimum pause after a failed notification, as after a failed turn of a loop. */
const RETRY_INTERVAL_MS = 1_000

const notify = statement('notify_nodes', 'select pg_notify($1, $2)')

/**
 * A commit with a NOTIFY locks the whole database, so at most one per kind in `everyMs`, and never inside a request's
 * transaction. Keeps the ids whose notification failed.
 */
export function createOutbox(db: Pick<Db, 'rows'>, channel: string, everyMs: number): Outbox {
  const waiting = new Map<string, Set<string>>()
  let stopped = false
  let hasFailed = false
  let sending: Promise<void> = Promise.resolve()

  const send = async (): Promise<void> => {
    hasFailed = false
    const kinds = [...waiting] // an id whose notification fails here waits for the next turn
    for (const [kind, ids] of kinds) {
      const batch = [...ids].slice(0, MAX_IDS_PER_NOTIFY)
      for (const id of batch) ids.delete(id)
      if (ids.size === 0) waiting.delete(kind)
      await db.rows(notify, [channel, `${kind} ${batch.join(' ')}`]).catch(() => {
        hasFailed = true
        if (!stopped) for (const id of batch) enqueue(kind, id)
      })
    }
    if (waiting.size > 0) sender.call()
  }
  const enqueue = (kind: string, id: string): void => {
    waiting.set(kind, (waiting.get(kind) ?? new Set()).add(id))
  }
  // After this turn's I/O, so that ids which are put together are sent together.
  const sender = throttle(
    () => (sending = nextTurn().then(send)),
    () => (hasFailed ? Math.max(everyMs, RETRY_INTERVAL_MS) : everyMs),
  )
  return {
    put(kind, id) {
      if (stopped) return
      enqueue(kind, id)
      sender.call()
    },
    async stop() {
      stopped = true
      sender.end()
      await sending
      await send()
    },
  }
}
