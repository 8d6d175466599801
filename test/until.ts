import { setTimeout } from 'node:timers/promises'

/** Nothing that a test waits for takes this long, on a machine with much other work either. */
const PATIENCE_MS = 25_000
const BETWEEN_LOOKS_MS = 3

/** Looks until the condition holds and returns what it gave; fails with what was still missing. */
export async function until<Value>(
  what: string | (() => string),
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  patienceMs: number = PATIENCE_MS,
): Promise<Value> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const value = await look()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) {
      throw new Error(`waited ${patienceMs} ms in vain: ${typeof what === 'string' ? what : what()}`)
    }
    await setTimeout(BETWEEN_LOOKS_MS)
  }
}
