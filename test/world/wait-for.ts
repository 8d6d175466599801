import { setTimeout } from 'node:timers/promises'

/** Long enough even for an overloaded machine. */
export const TIMEOUT_MS = 100_000
/** The pause between polls: short at first, and longer in a long wait, because polls slow down what it waits for. */
const POLL = { firstMs: 2, factor: 1.3, maxMs: 30 }

/** Polls until the condition is truthy and returns its value. Throws a message with `what` at the timeout. */
export async function waitFor<Value>(
  what: string | (() => string),
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = POLL.firstMs; ; pauseMs = Math.min(pauseMs * POLL.factor, POLL.maxMs)) {
    const value = await look()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) {
      throw new Error(`waited ${timeoutMs} ms for ${typeof what === 'string' ? what : what()}`)
    }
    await setTimeout(pauseMs)
  }
}
