/** A workspace must pause after a group of at least this many requests, of which at least this share are its own. */
const MIN_REQUESTS = 8
const MIN_SHARE = 3 / 4
/** How long a workspace counts as active after a request. */
const ACTIVE_MS = 1_000
/** The pause is this many times as long as the group took: the workspace gets about a quarter of the time. */
const PAUSE_FACTOR = 3
/** The longest pause, for each of the workspace's requests in the group: a group that only waited for a slow commit hardly delayed the others. */
const MAX_PAUSE_EACH_MS = 1
/** How many requests continue after a pause, or this share of those that wait if that is more: so each waits for a few pauses. */
const MIN_CONTINUED = 64
const CONTINUED_SHARE = 1 / 4
/** More continue in several parts, each after a part of the pause: the others wait behind one group. */
const MAX_CONTINUED = 256

export type FairShare = ReturnType<typeof createFairShare>

type Delayed = { pauseMs: number; intervalMs: number; waiting: (() => void)[] }

type Options = { onDelayed?: () => void; now?: () => number; after?: (ms: number, run: () => void) => void }

/**
 * While several workspaces are active, one that sends much more than all others together must pause between its groups of requests, so that
 * it slows the others down less. Create one for each process. `onDelayed` is called for each request that has to wait.
 */
export function createFairShare({
  onDelayed = () => {},
  now = () => performance.now(),
  after = (ms, run) => void setTimeout(run, ms),
}: Options = {}) {
  const delayed = new Map<string, Delayed>()
  let latest: { workspaceId: string; atMs: number } | undefined
  /** When a workspace other than the latest was last active. */
  let otherAtMs = Number.NEGATIVE_INFINITY

  const areOthersActive = (workspaceId: string): boolean =>
    latest !== undefined && now() - (latest.workspaceId === workspaceId ? otherAtMs : latest.atMs) < ACTIVE_MS

  const delay = (workspaceId: string, entry: Delayed): void => {
    delayed.set(workspaceId, entry)
    after(entry.pauseMs, continueSome)

    function continueSome(): void {
      const { waiting, intervalMs } = entry
      const share = areOthersActive(workspaceId) ? CONTINUED_SHARE : 1
      const wanted = Math.max(MIN_CONTINUED, Math.ceil(waiting.length * share))
      const count = share < 1 ? Math.min(wanted, MAX_CONTINUED) : wanted
      for (const resolve of waiting.splice(0, count)) resolve()
      if (waiting.length > 0) after((intervalMs * count) / wanted, continueSome)
      else delayed.delete(workspaceId)
    }
  }

  return {
    /** Call this for each request. Returns undefined if the request need not wait. */
    waitForTurn(workspaceId: string): Promise<void> | undefined {
      if (latest && latest.workspaceId !== workspaceId) otherAtMs = latest.atMs
      latest = { workspaceId, atMs: now() }
      const entry = delayed.get(workspaceId)
      if (!entry) return undefined
      onDelayed()
      return new Promise((resolve) => entry.waiting.push(resolve))
    },
    /** Call this after each group, with the workspace of each of its requests. */
    groupEnded(workspaceIds: readonly string[], tookMs: number): void {
      if (workspaceIds.length < MIN_REQUESTS) return
      for (const [workspaceId, own] of Map.groupBy(workspaceIds, (each) => each)) {
        if (own.length < MIN_SHARE * workspaceIds.length || !areOthersActive(workspaceId)) continue
        const pauseMs = Math.min(PAUSE_FACTOR * tookMs, MAX_PAUSE_EACH_MS * own.length)
        const times = { pauseMs, intervalMs: pauseMs + Math.min(tookMs, pauseMs) }
        const entry = delayed.get(workspaceId)
        if (entry) Object.assign(entry, times)
        else delay(workspaceId, { ...times, waiting: [] })
      }
    },
  }
}
