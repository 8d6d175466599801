import { setTimeout as wait } from 'node:timers/promises'
import { type Figure, atMost, megabytes, ms, percentile, perSecond } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { openLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { memoryOf, startServer } from './server-process.ts'
import { openShops, otpRequests } from './shop.ts'

const PART = 'to the wire'
const SHOPS = 10
const KEYS = 1_000
const RATE = 200
const WARM_UP_MS = 4_000
const STEADY_MS = 20_000
const CONNECTIONS = 64
/** After the last answer the last messages are still being sent. */
const LAST_ARRIVALS_MS = 10_000

/** Measures the time from when a request was planned to the first byte of the send at the provider. */
export const wire: BenchPart = async ({ postgres, provider, short, profile }) => {
  const database = await postgres.database('bench_wire')
  const shops = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS,
    keysEach: KEYS / SHOPS,
  })
  const server = await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, profile })
  const client = openHttpClient({ port: server.port, connections: CONNECTIONS })
  const requests = otpRequests(shops)
  const plannedAt = new Map<string, number>()
  const answeredAt = new Map<string, number>()
  const arrivedAt = new Map<string, number>()
  provider.onSend(({ recipient, at }) => arrivedAt.set(recipient, at))
  const send = async (at: number): Promise<number> => {
    const request = requests.next()
    const recipient = requests.lastRecipient()
    plannedAt.set(recipient, at)
    const status = await client.send(request)
    answeredAt.set(recipient, performance.now())
    return status
  }
  const allArrived = async (): Promise<void> => {
    const deadline = performance.now() + LAST_ARRIVALS_MS
    while (arrivedAt.size < plannedAt.size) {
      if (performance.now() > deadline)
        throw new Error(`${plannedAt.size - arrivedAt.size} accepted messages did not reach the provider`)
      await wait(5)
    }
  }
  try {
    await openLoop(send, { rate: RATE, ms: WARM_UP_MS, expected: 202 })
    await allArrived()
    for (const times of [plannedAt, answeredAt, arrivedAt]) times.clear()
    await openLoop(send, { rate: RATE, ms: short ? STEADY_MS / 4 : STEADY_MS, expected: 202 })
    await allArrived()
    const since = (from: ReadonlyMap<string, number>): number[] =>
      [...arrivedAt].map(([recipient, at]) => at - (from.get(recipient) ?? Number.NaN))
    const whole = { p50: percentile(since(plannedAt), 0.5), p99: percentile(since(plannedAt), 0.99) }
    const load = `open loop ${perSecond(RATE)}`
    return [
      {
        part: PART,
        what: `${load}, from the client's request: p50`,
        figure: ms(whole.p50),
        goal: atMost(whole.p50, 15, ' ms'),
      },
      {
        part: PART,
        what: `${load}, from the client's request: p99`,
        figure: ms(whole.p99),
        goal: atMost(whole.p99, 100, ' ms'),
      },
      { part: PART, what: `${load}, from the client's 202: p50`, figure: ms(percentile(since(answeredAt), 0.5)) },
      { part: PART, what: `${load}, from the client's 202: p99`, figure: ms(percentile(since(answeredAt), 0.99)) },
      { part: PART, what: 'peak memory of the server', figure: megabytes(memoryOf(server.samples).highest) },
    ] satisfies Figure[]
  } finally {
    client.close()
    await server.stop()
    await database.drop()
  }
}
