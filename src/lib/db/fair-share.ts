/** A workspace must pause after a group of at least this many requests, of which at least this share are its own. */
const MIN_REQUESTS = 8
const MIN_SHARE = 3 / 4
/** How long a workspace counts as active after a request. */
const ACTIVE_MS = 1_000
/** The pause is this many times as long as the group took: the workspace gets a quarter of the time. */
const PAUSE_FACTOR = 3
/** The longest pause for each of its requests: a group that only waited for a slow commit slowed nobody down. */
const MAX_PAUSE_EACH_MS = 1
/** How many requests continue after a pause, or this share of those that wait if that is more: none waits for more than a few pauses. */
const MIN_CONTINUED = 64
const CONTINUED_SHARE = 1 / 4

export type FairShare = ReturnType<typeof createFairShare>

type Held = { tookMs: number; pauseMs: number; waiting: (() => void)[] }

type Options = { onHeld?: () => void; now?: () => number; after?: (ms: number, run: () => void) => void }

/**
 * While several workspaces are active, one that sends much more than all others together must pause between its groups of requests, so that
 * it slows the others down less. Two such workspaces do not pause. One for each process. `onHeld` is called for each request that waits.
 */
export function createFairShare({
  onHeld = () => {},
  now = () => performance.now(),
  after = (ms, run) => void setTimeout(run, ms),
}: Options = {}) {
  const held = new Map<string, Held>()
  let latest: { workspaceId: string; atMs: number } | undefined
  /** When a second workspace was last active. */
  let mixedAtMs = Number.NEGATIVE_INFINITY

  const isMixed = (): boolean => now() - mixedAtMs < ACTIVE_MS

  const hold = (workspaceId: string, entry: Held): void => {
    held.set(workspaceId, entry)
    after(entry.pauseMs, end)

    function end(): void {
      const { waiting, tookMs, pauseMs } = entry
      const continued = isMixed()
        ? Math.max(MIN_CONTINUED, Math.ceil(waiting.length * CONTINUED_SHARE))
        : waiting.length
      for (const resolve of waiting.splice(0, continued)) resolve()
      if (waiting.length > 0) after(tookMs + pauseMs, end)
      else held.delete(workspaceId)
    }
  }

  return {
    /** Call this for each request. Returns undefined if the request need not wait. */
    turn(workspaceId: string): Promise<void> | undefined {
      if (latest && latest.workspaceId !== workspaceId) mixedAtMs = latest.atMs
      latest = { workspaceId, atMs: now() }
      const entry = held.get(workspaceId)
      if (!entry) return undefined
      onHeld()
      return new Promise((resolve) => entry.waiting.push(resolve))
    },
    /** Call this after each group, with the workspace of each of its requests. */
    ended(workspaceIds: readonly string[], tookMs: number): void {
      if (!isMixed()) return
      for (const [workspaceId, own] of Map.groupBy(workspaceIds, (each) => each)) {
        const pauseMs = Math.min(PAUSE_FACTOR * tookMs, MAX_PAUSE_EACH_MS * own.length)
        const entry = held.get(workspaceId)
        if (entry) Object.assign(entry, { tookMs, pauseMs })
        else if (workspaceIds.length >= MIN_REQUESTS && own.length >= MIN_SHARE * workspaceIds.length)
          hold(workspaceId, { tookMs, pauseMs, waiting: [] })
      }
    },
  }
}
