import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { confirmationRequests, openCodShops } from './cod-shop.ts'
import { tapWebhook } from './provider-webhooks.ts'
import { type Figure, atLeast, count, megabytes, ms, percentile, perSecond } from './figures.ts'
import { type HttpClient, openHttpClient } from './http-client.ts'
import type { BenchPart } from './part.ts'
import type { Arrival } from './provider.ts'
import { startReceiver } from './receiver.ts'
import { memoryOf, startServer } from './server-process.ts'
import type { Shop } from './shop.ts'
import { addEndpoints, backlogOf, usageFigures, usageOf } from './whole-way.ts'

const PART = 'COD flow'
/** Each shop has one number of the highest throughput, 1,000/s, so that our pacing does not limit the rate. */
const SHOPS = 10
const KEYS = 1_000
/** A flow starts when another ends, so that the number in progress stays constant. */
const UNDER_WAY = 1_000
const WARM_UP_MS = 8_000
const SUSTAINED_MS = 40_000
const CONNECTIONS = 64
/** Check interval. If no flow ended in this time, something broke. */
const CHECK_INTERVAL_MS = 5_000
const FLOWS_PER_SECOND = 500

/**
 * In each flow a confirmation is created, its template is sent, its customer taps "Confirm", and a receiver verifies
 * `cod.confirmed`.
 */
export const codFlow: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_cod_flow'), (database) => database.drop())
  const { url: databaseUrl } = database
  const shops = await openCodShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS / SHOPS })
  const receiver = opened.adopt(await startReceiver(), (receiver) => receiver.stop())
  await addEndpoints(databaseUrl, shops, receiver)
  const server = opened.adopt(await startServer({ subject: 'doorcode', databaseUrl, works: true, profile }), (server) =>
    server.stop(),
  )
  const openClient = (): HttpClient =>
    opened.adopt(openHttpClient({ port: server.port, connections: CONNECTIONS }), (client) => client.close())
  const flows = startFlows(shops, openClient())
  const taps = opened.adopt(startTaps(shops, { client: openClient(), fail: flows.fail }), (taps) => taps.stop())
  provider.onSend((arrival) => taps.plan(arrival))
  receiver.onEvent(({ type, to }) => flows.received(type, to))
  const connection = new Client(databaseUrl)
  await connection.connect()
  opened.defer(() => connection.end())

  const running = flows.run(UNDER_WAY)
  await Promise.race([wait(short ? WARM_UP_MS / 2 : WARM_UP_MS), running])
  flows.latencies.length = 0
  const before = await usageOf({ server, postgres, connection, done: flows.done() })
  const backlogs: number[] = []
  const rates: number[] = []
  const until = performance.now() + (short ? SUSTAINED_MS / 4 : SUSTAINED_MS)
  while (performance.now() < until) {
    const [from, began] = [flows.done(), performance.now()]
    await Promise.race([wait(CHECK_INTERVAL_MS), running])
    if (flows.done() === from) throw new Error(`no flow ended in ${CHECK_INTERVAL_MS / 1000} s`)
    rates.push(((flows.done() - from) * 1000) / (performance.now() - began))
    backlogs.push(await backlogOf(connection))
    say(`${perSecond(rates.at(-1) ?? 0)}, ${count(backlogs.at(-1) ?? 0)} rows due`)
  }
  const after = await usageOf({ server, postgres, connection, done: flows.done() })
  flows.stop()
  await running
  if (receiver.rejected() > 0) throw new Error(`${receiver.rejected()} webhooks did not verify`)
  const elapsedMs = after.at - before.at
  const rate = ((after.done - before.done) * 1000) / elapsedMs
  return [
    {
      part: PART,
      what: `${UNDER_WAY} under way, ${count(elapsedMs / 1000)} s: flows`,
      figure: perSecond(rate),
      goal: atLeast(rate, FLOWS_PER_SECOND, '/s'),
    },
    {
      part: PART,
      what: 'slowest and fastest 5 s of it',
      figure: `${perSecond(Math.min(...rates))}, ${perSecond(Math.max(...rates))}`,
    },
    {
      part: PART,
      what: "from the client's request to cod.confirmed, the customer's wait left out: p50, p99",
      figure: `${ms(percentile(flows.latencies, 0.5) - TAPPED_AFTER_MS)}, ${ms(percentile(flows.latencies, 0.99) - TAPPED_AFTER_MS)}`,
    },
    {
      part: PART,
      what: 'rows due, at the first and the last look',
      figure: `${count(backlogs[0] ?? 0)}, ${count(backlogs.at(-1) ?? 0)}`,
    },
    ...usageFigures(PART, before, after),
    { part: PART, what: 'peak memory of the server', figure: megabytes(memoryOf(server.samples).highest) },
  ] satisfies Figure[]
}

type UnderWay = { at: number; over: () => void }

function startFlows(shops: readonly Shop[], client: HttpClient) {
  const next = confirmationRequests(shops)
  const underWay = new Map<string, UnderWay>()
  const latencies: number[] = []
  const broken = Promise.withResolvers<never>()
  let done = 0
  let stopped = false
  const one = async (): Promise<void> => {
    const { recipient, text } = next()
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.set(recipient, { at: performance.now(), over: resolve })
    const status = await client.send(text)
    if (status !== 202) throw new Error(`a request was answered ${status}`)
    await promise
  }
  const work = async (): Promise<void> => {
    while (!stopped) await one()
  }
  return {
    latencies,
    done: () => done,
    received(type: string, recipient: string): void {
      if (type !== 'cod.confirmed') return broken.reject(new Error(`unexpected webhook ${type} of ${recipient}`))
      const flow = underWay.get(recipient)
      if (!flow) return // duplicate deliveries are allowed
      underWay.delete(recipient)
      latencies.push(performance.now() - flow.at)
      done += 1
      flow.over()
    },
    async run(workers: number): Promise<void> {
      await Promise.race([Promise.all(Array.from({ length: workers }, work)), broken.promise])
    },
    fail: (error: Error): void => broken.reject(error),
    stop() {
      stopped = true
    },
  }
}

/** Long enough for us to store the provider's answer: an earlier tap arms no timers. */
const TAPPED_AFTER_MS = 500
const TICK_MS = 10

/** Every customer taps "Confirm" after this delay; each tap is a separate webhook. */
function startTaps(shops: readonly Shop[], { client, fail }: { client: HttpClient; fail: (error: Error) => void }) {
  const shopOf = new Map(shops.map((shop) => [shop.phoneNumberId, shop]))
  const planned: Arrival[] = []
  let first = 0
  const tap = async (arrival: Arrival): Promise<void> => {
    const shop = shopOf.get(arrival.phoneNumberId)
    if (!shop) return fail(new Error(`a send came from the number ${arrival.phoneNumberId}, which no shop has`))
    const status = await client.send(tapWebhook(shop, arrival))
    if (status !== 200) fail(new Error(`a provider webhook was answered ${status}`))
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (let next = planned[first]; next && next.at + TAPPED_AFTER_MS <= now; next = planned[first]) {
      first += 1
      void tap(next)
    }
    planned.splice(0, first)
    first = 0
  }, TICK_MS)
  return {
    plan: (arrival: Arrival): void => void planned.push(arrival),
    stop: (): void => clearInterval(timer),
  }
}
