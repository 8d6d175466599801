import { MINUTE_MS } from '../../lib/clock.ts'
import { failsReadiness, isConflict } from '../../lib/db/pool.ts'
import type { Log } from '../../lib/log.ts'
import type { Metrics } from '../../lib/metrics.ts'

/** One kind of background work. A turn processes what is due and returns whether more may be waiting. */
export type Loop = {
  /** Also the wake-up that starts a turn before the next poll. */
  name: string
  /**
   * Longest sleep without a wake-up, ms, so that a lost wake-up only causes a delay. While nothing is due it grows to IDLE_POLL_MS, and to
   * WATCHED_POLL_MS while a look watches for the loop's work.
   */
  pollMs: number
  /**
   * `more`: the next turn follows immediately. `idle`: the turn found nothing due, so a look may watch for the loop's work. `stop`: a turn that
   * waits for other loops ends early.
   */
  turn(stop?: AbortSignal): Promise<{ more: boolean; idle?: boolean }>
  /** Waits for work that its turns started. */
  drain?(): Promise<void>
}

/** Watches for the due work of loops that found nothing. */
export type Look = {
  /** Calls `wake` when the loop has due work. Returns undefined if the loop must poll: the last look failed, is old or found its work. */
  watch(loop: string, wake: () => void): Disposable | undefined
}

export type RunningLoop = {
  name: string
  wake(): void
  /** Its last turns failed because the database cannot be used. A turn that still runs may be a long one. */
  isFailing(): boolean
  /** Every turn has failed for a while, whatever the reason. */
  isStuck(): boolean
  /** The same, and none of these turns only met a lock of another transaction. */
  isBroken(): boolean
  stop(): Promise<void>
}

/** Pause after a failed turn, so that an unavailable database is not hammered. */
const AFTER_FAULT_MS = 1_000
/** One failed turn may be a single lost connection. */
const MIN_FAILED_TURNS = 2
/** Longer than the pause: a turn that has run for the rest of this time gets answers. */
const FAILING_FOR_MS = 3_000
/** The longest interval of polls that find nothing. */
export const IDLE_POLL_MS = 1_000
/** The same while a look watches for the loop's work. A fault of the look only causes this delay. */
const WATCHED_POLL_MS = 20_000
/** From the first failed turn to the last: longer than a failover takes to reset connections, or a migration to lock a table. */
const STUCK_AFTER_MS = 5_000
/** A turn that fails each second for hours must not fill the disk with its log. Another error is logged immediately. */
const LOG_AGAIN_AFTER_MS = MINUTE_MS
/** Share of the interval by which polls of several nodes are spread. */
export const JITTER = 0.2

type LoopOptions = { metrics?: Pick<Metrics, 'watchLoop'> | undefined; look?: Look }

export function startLoop(loop: Loop, log: Log, { metrics, look }: LoopOptions = {}): RunningLoop {
  const stopping = new AbortController()
  let wakeRequested = false
  let endSleep: (() => void) | undefined
  let failedTurns = 0
  let failedAtMs = 0
  let sleepMs = loop.pollMs
  /** The first failure after the last turn that did not fail, and after the last one that met a lock. */
  let stuckSinceMs: number | undefined
  let brokenSinceMs: number | undefined
  const observe = metrics?.watchLoop(loop)
  const logFailure = createFailureLog(loop, log)

  const wake = (): void => {
    wakeRequested = true
    endSleep?.()
  }
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        endSleep = undefined
        resolve()
      }
      endSleep = done
      if (wakeRequested || stopping.signal.aborted) done()
    })
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const wasWoken = wakeRequested
      wakeRequested = false
      const startedAtMs = performance.now()
      try {
        const { more, idle = false } = await loop.turn(stopping.signal)
        failedTurns = 0
        // what it was woken for may be locked by another node
        const isIdle = idle && !wasWoken
        sleepMs = isIdle ? Math.max(loop.pollMs, Math.min(2 * sleepMs, IDLE_POLL_MS)) : loop.pollMs
        stuckSinceMs = undefined
        brokenSinceMs = undefined
        observe?.('done', performance.now() - startedAtMs)
        if (more) continue
        using watch = isIdle ? look?.watch(loop.name, () => endSleep?.()) : undefined
        await sleep(watch ? WATCHED_POLL_MS : sleepMs * (1 + JITTER * (Math.random() - 0.5)))
      } catch (error) {
        logFailure(error)
        failedTurns = failsReadiness(error) ? failedTurns + 1 : 0
        failedAtMs = performance.now()
        stuckSinceMs ??= failedAtMs
        brokenSinceMs = isConflict(error) ? undefined : (brokenSinceMs ?? failedAtMs)
        observe?.('failed', failedAtMs - startedAtMs)
        wakeRequested = false
        await sleep(AFTER_FAULT_MS)
      }
    }
    await loop.drain?.()
  }
  const ended = run()
  const hasFailedSince = (sinceMs: number | undefined): boolean =>
    sinceMs !== undefined && failedAtMs - sinceMs >= STUCK_AFTER_MS
  return {
    name: loop.name,
    wake,
    isFailing: () => failedTurns >= MIN_FAILED_TURNS && performance.now() - failedAtMs < FAILING_FOR_MS,
    isStuck: () => hasFailedSince(stuckSinceMs),
    isBroken: () => hasFailedSince(brokenSinceMs),
    async stop() {
      stopping.abort()
      endSleep?.()
      await ended
    },
  }
}

/** `repeated`: how many turns failed with the same error and were not logged. */
function createFailureLog({ name }: Loop, log: Log): (error: unknown) => void {
  let last = { text: '', atMs: 0, repeated: 0 }
  return (error) => {
    const [text, atMs] = [String(error), performance.now()]
    if (text === last.text && atMs - last.atMs < LOG_AGAIN_AFTER_MS) return void (last.repeated += 1)
    const repeated = text === last.text ? last.repeated : 0
    last = { text, atMs, repeated: 0 }
    log.error(
      { err: error, loop: name, ...(repeated > 0 && { repeated }) },
      'background work failed and will be retried',
    )
  }
}
