/** A workspace is throttled after a group of at least this many requests, of which at least this share are its own. */
const MIN_REQUESTS = 8
const MIN_SHARE = 3 / 4
/** How long a workspace counts as active after a request. */
const ACTIVE_MS = 1_000
/** The pause is this many times as long as the group took, so the workspace gets a quarter of the time. */
const PAUSE_FACTOR = 3
/** The longest pause, even if the group waited for a lock. */
const MAX_PAUSE_MS = 250
/** How many requests continue after a pause: the group that they form has room for others. */
const MAX_CONTINUED = 64

/** More do not wait, so that none waits for many pauses. */
const MAX_WAITING = 1_000

type Throttled = { pauseMs: number; waiting: (() => void)[] }

const realTime = {
  now: (): number => performance.now(),
  after: (ms: number, run: () => void): void => void setTimeout(run, ms),
}

/**
 * While several workspaces are active, one that sends much more than all others together must wait between its groups, so that it does not
 * slow the others down.
 */
export function createThrottle({ now, after } = realTime) {
  const throttled = new Map<string, Throttled>()
  let latest: { workspaceId: string; atMs: number } | undefined
  /** When two workspaces were last active. */
  let mixedAtMs = Number.NEGATIVE_INFINITY

  const pause = (workspaceId: string, pauseMs: number): void => {
    const known = throttled.get(workspaceId)
    if (known) {
      known.pauseMs = pauseMs
      return
    }
    const each: Throttled = { pauseMs, waiting: [] }
    throttled.set(workspaceId, each)
    const end = (): void => {
      for (const resolve of each.waiting.splice(0, MAX_CONTINUED)) resolve()
      if (each.waiting.length > 0) after(each.pauseMs, end)
      else throttled.delete(workspaceId)
    }
    after(pauseMs, end)
  }

  return {
    /** Call it for each request. Undefined: it need not wait. */
    wait(workspaceId: string): Promise<void> | undefined {
      if (latest && latest.workspaceId !== workspaceId) mixedAtMs = latest.atMs
      latest = { workspaceId, atMs: now() }
      const found = throttled.get(workspaceId)
      if (!found || found.waiting.length >= MAX_WAITING) return undefined
      return new Promise((resolve) => found.waiting.push(resolve))
    },
    /** Runs a group of requests of these workspaces. */
    async during<Result>(workspaceIds: readonly string[], run: () => Promise<Result>): Promise<Result> {
      const startedAtMs = now()
      const result = await run()
      const endedAtMs = now()
      if (workspaceIds.length >= MIN_REQUESTS && endedAtMs - mixedAtMs < ACTIVE_MS)
        for (const [workspaceId, own] of Map.groupBy(workspaceIds, (each) => each))
          if (own.length >= MIN_SHARE * workspaceIds.length)
            pause(workspaceId, Math.min(PAUSE_FACTOR * (endedAtMs - startedAtMs), MAX_PAUSE_MS))
      return result
    },
  }
}
