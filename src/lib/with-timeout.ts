import { setTimeout as wait } from 'node:timers/promises'

/** Whether `work` resolves within `ms`. Rejects when it does. */
export async function withTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  try {
    return await Promise.race([work.then(() => true), wait(ms, false, { signal: over.signal })])
  } finally {
    over.abort()
  }
}
