import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from './figures.ts'

/** The result of a load. */
export type Load = {
  answers: number
  /** Answers per second. */
  rate: number
  p50: number
  p99: number
  slowest: number
}

export type SendRequest = {
  /** Sends one request and resolves with its status. `at` is its planned time by performance.now(). */
  (at: number): Promise<number>
}

export type LoadOptions = { ms: number; expected: number }

/** Each of `workers` clients sends again once answered: the server's maximum throughput. */
export async function closedLoop(
  send: SendRequest,
  { workers, ms, expected }: LoadOptions & { workers: number },
): Promise<Load> {
  const { note, result } = record(expected)
  const began = performance.now()
  const work = async (): Promise<void> => {
    for (let at = performance.now(); at - began < ms; at = performance.now()) note(at, await send(at))
  }
  await Promise.all(Array.from({ length: workers }, work))
  return result(performance.now() - began)
}

/** How long the last answers may take. */
const LAST_ANSWERS_MS = 30_000

/**
 * Sends requests at a steady rate, however slow the answers are. Latency counts from the planned time of a request:
 * while the server or this process is late, the wait of everything behind it counts as well.
 */
export async function openLoop(
  send: SendRequest,
  { rate, ms, expected }: LoadOptions & { rate: number },
): Promise<Load> {
  const { note, result } = record(expected)
  const total = Math.floor((rate * ms) / 1000)
  const began = performance.now()
  let sent = 0
  let open = 0
  let fault: unknown
  const one = async (at: number): Promise<void> => {
    open += 1
    try {
      note(at, await send(at))
    } catch (error) {
      fault ??= error
    } finally {
      open -= 1
    }
  }
  while (sent < total) {
    const due = Math.min(total, dueBy(performance.now() - began, rate))
    for (; sent < due; sent += 1) void one(began + plannedAfter(sent, rate))
    await wait(1)
  }
  const lastSent = performance.now()
  while (open > 0 && fault === undefined) {
    if (performance.now() - lastSent > LAST_ANSWERS_MS) throw new Error(`${open} requests were not answered`)
    await wait(1)
  }
  if (fault !== undefined) throw fault
  return result(performance.now() - began)
}

/** Planned time of request `number`, counted from 0, ms after the first. */
export const plannedAfter = (number: number, rate: number): number => (number * 1000) / rate

/** Number of requests planned up to this time, ms. The first is at 0. */
export const dueBy = (elapsedMs: number, rate: number): number => Math.floor((elapsedMs * rate) / 1000) + 1

type Record = { note: (at: number, status: number) => void; result: (elapsedMs: number) => Load }

function record(expected: number): Record {
  const latencies: number[] = []
  return {
    note: (at, status) => {
      if (status !== expected) throw new Error(`an answer was ${status} where ${expected} was expected`)
      latencies.push(performance.now() - at)
    },
    result: (elapsedMs) => ({
      answers: latencies.length,
      rate: (latencies.length * 1000) / elapsedMs,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      slowest: percentile(latencies, 1),
    }),
  }
}
