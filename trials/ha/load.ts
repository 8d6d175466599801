import { setTimeout as wait } from 'node:timers/promises'
import type { Accepted, Load } from '../soak/load.ts'
import type { Random } from '../soak/random.ts'

/** The share of requests that are orders, whose customers answer. */
const ORDERS = 0.1
const REPEATED_KEYS = 60
const CLIENTS = 40

type SendOptions = { random: Random; requestsPerSecond: number; signal: AbortSignal }

/**
 * Each client makes one request after the other, so that requests do not pile up during an outage. Resolves when every request
 * that was started has been accepted.
 */
export async function sendWhile(load: Load, { random, requestsPerSecond, signal }: SendOptions): Promise<void> {
  const intervalMs = (CLIENTS * 1_000) / requestsPerSecond
  const send = async (): Promise<void> => {
    await wait(random.between(0, Math.round(intervalMs)))
    while (!signal.aborted) {
      const beganAt = performance.now()
      await load.begin(random.next() < ORDERS ? 'order' : 'code')
      await wait(Math.max(0, intervalMs - (performance.now() - beganAt)))
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, send))
}

/** Sends accepted requests again with their keys. Returns how many. */
export async function repeatSome(load: Load, accepted: readonly Accepted[]): Promise<number> {
  const step = Math.max(1, Math.floor(accepted.length / REPEATED_KEYS))
  const chosen = accepted.filter((_, index) => index % step === 0).slice(0, REPEATED_KEYS)
  for (const each of chosen) await load.repeat(each)
  return chosen.length
}
