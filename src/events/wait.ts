import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../lib/clock.ts'
import { ApiError } from '../lib/errors.ts'
import type { LiveUpdates } from '../runtime/jobs/live.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { asWritten } from '../../locales/text.ts'

export const MAX_WAIT_SECONDS = 30
/** Requests that wait at the same time in this process, of one key, of one workspace and in all. */
export const MAX_WAITING_PER_KEY = 10
export const MAX_WAITING_PER_WORKSPACE = 50
export const MAX_WAITING = 500
/** A notification may be lost, and a change may be visible only later. */
const POLL_MS = 2 * SECOND_MS
/** Many changes of a busy workspace cause few looks. */
const MIN_INTERVAL_MS = 200

type Wait<Result> = {
  workspaceId: string
  /** The public id of the API key. */
  apiKeyId: string
  seconds: number
  /** Ends the wait early. */
  end: AbortSignal
  look: () => Promise<Result>
  isEmpty: (result: Result) => boolean
}

/** Repeats a query until it finds something or the time is up. Holds no database connection while it waits. */
export function createWaiter(live: Pick<LiveUpdates, 'follow'>) {
  /** By the public id of a key, and by the id of a workspace. */
  const waiting = new Map<string, number>()
  let total = 0

  const begin = (apiKeyId: string, workspaceId: string): void => {
    const [ofKey, ofWorkspace] = [waiting.get(apiKeyId) ?? 0, waiting.get(workspaceId) ?? 0]
    if (ofKey >= MAX_WAITING_PER_KEY) throw tooMany(`This key already has ${ofKey} requests that wait for events.`)
    if (ofWorkspace >= MAX_WAITING_PER_WORKSPACE)
      throw tooMany(`The keys of this workspace already have ${ofWorkspace} requests that wait for events.`)
    if (total >= MAX_WAITING) throw tooMany(`Already ${total} requests wait for events here.`)
    waiting.set(apiKeyId, ofKey + 1).set(workspaceId, ofWorkspace + 1)
    total += 1
  }
  const finish = (apiKeyId: string, workspaceId: string): void => {
    for (const holder of [apiKeyId, workspaceId]) {
      const left = (waiting.get(holder) ?? 1) - 1
      if (left > 0) waiting.set(holder, left)
      else waiting.delete(holder)
    }
    total -= 1
  }

  return async <Result>({ workspaceId, apiKeyId, seconds, end, look, isEmpty }: Wait<Result>): Promise<Result> => {
    begin(apiKeyId, workspaceId)
    const deadline = performance.now() + seconds * SECOND_MS
    const within = (ms: number): number => Math.max(0, Math.min(ms, deadline - performance.now()))
    let changed = Promise.withResolvers<void>()
    const wake = (): void => changed.resolve()
    end.addEventListener('abort', wake)
    const unfollow = live.follow(workspaceId, wake)
    try {
      for (let isWoken = true; ; ) {
        changed = Promise.withResolvers() // before the look: a change during the look may be missed by it
        const result = await look()
        if (!isEmpty(result) || end.aborted || within(1) === 0) return result
        await sleep(within(MIN_INTERVAL_MS), undefined, { signal: end }).catch(() => undefined)
        // After a change, look again: an event becomes readable when earlier transactions have ended.
        isWoken = isWoken ? false : await withTimeout(within(POLL_MS), changed.promise)
      }
    } finally {
      unfollow()
      end.removeEventListener('abort', wake)
      finish(apiKeyId, workspaceId)
    }
  }
}

const tooMany = (detail: string): ApiError => new ApiError('RATE_LIMITED', asWritten(detail))
