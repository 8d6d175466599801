import { SECOND_MS } from '../clock.ts'
import { type RefusalCode, refusals } from '../errors.ts'
import type { Log } from '../log.ts'
import type { ApiKey } from '../workspaces/keys.ts'

/** What the log tells of a refused request: nothing that its sender wrote but the correlation id, which is a UUID. */
export type RefusedRequest = RefusedOf & { correlationId: string; refusal: RefusalCode }

export type RefusedOf = {
  /** Of the table of routes; absent where no route was met. */
  route?: { method: string; path: string } | undefined
  /** Absent when none was found to be good. */
  key?: ApiKey | undefined
}

export type RefusalLog = {
  tell(refused: RefusedRequest): void
  /** The last count is told. */
  close(): void
}

/**
 * A flood must cost no more than this, in lines of the log. Whoever has no key, or is over the rate of one, can make a
 * flood for nothing: those lines are counted apart, so that they leave room for what a caller's program does wrong.
 */
export const REFUSALS_LOGGED_PER_SECOND = { keyed: 100, others: 20 } as const

type Kind = keyof typeof REFUSALS_LOGGED_PER_SECOND

/** Each refusal is a line at `info`. What a second has no room for is counted; the next line of a later second tells it. */
export function refusalLog(log: Log, monotonicMs: () => number = () => performance.now()): RefusalLog {
  let beganAt = Number.NEGATIVE_INFINITY
  let lines: Record<Kind, number> = { keyed: 0, others: 0 }
  let leftOut = 0

  const tellLeftOut = (): void => {
    if (leftOut > 0) log.info({ leftOut }, 'more requests were refused than the log has room for')
    leftOut = 0
  }

  return {
    tell({ correlationId, refusal, route, key }) {
      const now = monotonicMs()
      if (now - beganAt >= SECOND_MS) {
        beganAt = now
        lines = { keyed: 0, others: 0 }
        tellLeftOut()
      }
      const kind = key && refusal !== 'RATE_LIMITED' ? 'keyed' : 'others'
      if (lines[kind] >= REFUSALS_LOGGED_PER_SECOND[kind]) {
        leftOut += 1
        return
      }
      lines[kind] += 1
      const by = key && { apiKeyId: key.publicId, workspaceId: key.workspaceId }
      // Not "code": a member of that name is blanked, for it may be a one-time code.
      const { status } = refusals[refusal]
      log.info({ correlationId, refusal, status, ...route, ...by }, 'a request was refused')
    },
    close: tellLeftOut,
  }
}
