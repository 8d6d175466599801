import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { withConnection } from '../test/database/postgres.ts'
import { type Figure, atMost, count, ms, percentile, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import type { BenchPart } from './part.ts'
import { startReceiver } from './receiver.ts'
import { startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests } from './shop.ts'
import { sendSteadily } from './steady.ts'
import { addEndpoints, startWay } from './whole-way.ts'

const PART = 'fairness'
/** The last one is in trouble; the figures are of the others. */
const SHOPS = 11
const KEYS_EACH = 100
const CONNECTIONS = 64
/** Messages a second of the others, and of the shop in trouble. */
const RATE = 100
const TROUBLED_RATE = 20
const CALM_MS = 12_000
const TROUBLE_MS = 12_000
/** Calm and each trouble are measured in turn this many times, and the median of the ratios counts. */
const ROUNDS = 3
const POLL_MS = 500
/** What the trouble leaves behind is worked off before the next calm. */
const SETTLE_MS = 5_000
const MASS = 100_000
const MASS_WORKERS = 32
/** More than a number of 80 messages a second sends while it is measured. */
const QUEUED = 3_000
const MAX_RATIO = 1.5

type Latencies = Record<(typeof SPANS)[number], number>

const SPANS = ['from the request to the 202', 'from the 202 to the wire', 'from the request to the webhook'] as const

/**
 * What the trouble of one workspace costs the others: their p99 beside one, as a multiple of the p99 while that workspace is
 * calm. In calm and in trouble the workspace sends at the same rate.
 */
export const fairness: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = await postgres.database('bench_fairness')
  opened.defer(() => database.drop())
  const shops = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS,
    keysEach: KEYS_EACH,
  })
  const others = shops.slice(0, -1)
  const troubled = shops.at(-1)
  if (!troubled) throw new Error('there is no shop')
  const receiver = opened.adopt(await startReceiver(), (each) => each.stop())
  await addEndpoints(database.url, others, receiver)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, profile }),
    (each) => each.stop(),
  )
  const troubledClient = opened.adopt(openHttpClient({ port: server.port, connections: CONNECTIONS }), (each) =>
    each.close(),
  )
  const { messages, arrivedAt } = startWay(opened, { shops: others, reported: shops, server, receiver, provider })

  const measure = async (fullMs: number): Promise<Latencies> => {
    const load = { rate: RATE, ms: short ? fullMs / 4 : fullMs, settleMs: SETTLE_MS }
    const times = await sendSteadily({ messages, arrivedAt }, load)
    return {
      'from the request to the 202': percentile(times.plannedToAccepted, 0.99),
      'from the 202 to the wire': percentile(times.acceptedToWire, 0.99),
      'from the request to the webhook': percentile(times.requestToWebhook, 0.99),
    }
  }
  const traffic = startTraffic(troubled, troubledClient)
  opened.defer(() => traffic.stop())

  const troubles = await listTroubles(opened, { databaseUrl: database.url, troubled, troubledClient, receiver, say })
  const figures: Figure[] = []
  await measure(CALM_MS / 4)
  for (const [what, begin] of Object.entries(troubles)) {
    const ratios: Record<string, number[]> = {}
    let slowest: Latencies | undefined
    for (let round = 0; round < ROUNDS; round += 1) {
      const calm = await measure(CALM_MS)
      const end = await begin()
      const beside = await measure(TROUBLE_MS)
      await end()
      await wait(SETTLE_MS)
      for (const span of SPANS) (ratios[span] ??= []).push(beside[span] / calm[span])
      slowest = beside
      say(`${what}: ${SPANS.map((span) => `${ms(calm[span])} → ${ms(beside[span])}`).join(', ')}`)
    }
    for (const span of SPANS) {
      const ratio = [...(ratios[span] ?? [])].sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN
      const figure = `${times(ratio)} (${ms(slowest?.[span] ?? Number.NaN)})`
      figures.push({
        part: PART,
        what: `beside ${what}: others' p99 ${span}`,
        figure,
        goal: { ...atMost(ratio, MAX_RATIO), text: `≤ ${times(MAX_RATIO)}` },
      })
    }
  }
  return figures
}

type Traffic = { stop(): Promise<void> }

/** The steady requests of the workspace in trouble. What they are answered is its own affair. */
function startTraffic(shop: Shop, client: { send(request: string): Promise<number> }): Traffic {
  const requests = otpRequests([shop], TROUBLED_NUMBERS)
  const timer = setInterval(() => void client.send(requests.next()).catch(() => undefined), 1000 / TROUBLED_RATE)
  return { stop: async () => clearInterval(timer) }
}

/** The numbers of its customers, which no other workspace has. */
const TROUBLED_NUMBERS = '+2127'

type Begin = () => Promise<() => Promise<void>>

async function listTroubles(
  opened: AsyncDisposableStack,
  {
    databaseUrl,
    troubled,
    troubledClient,
    receiver,
    say,
  }: {
    databaseUrl: string
    troubled: Shop
    troubledClient: { send(request: string): Promise<number> }
    receiver: Awaited<ReturnType<typeof startReceiver>>
    say: (line: string) => void
  },
): Promise<Record<string, Begin>> {
  const query = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
    withConnection(databaseUrl, async (connection) => (await connection.query<Row>(text, values)).rows)
  const requests = otpRequests([troubled], TROUBLED_NUMBERS)
  const sendMany = async (number: number, isOver: () => boolean): Promise<number> => {
    let sent = 0
    const work = async (): Promise<void> => {
      while (sent < number && !isOver()) {
        sent += 1
        await troubledClient.send(requests.next())
      }
    }
    await Promise.all(Array.from({ length: MASS_WORKERS }, work))
    return sent
  }
  const setThroughput = (level: string): Promise<unknown> =>
    query('update senders set throughput = $2 where id = $1', [troubled.senderId, level])
  const workOff = async (): Promise<void> => {
    await setThroughput('HIGH')
    for (;;) {
      const rows = await query<{ id: string }>(
        'select id from messages where sender_id = $1 and due_at is not null limit 100',
        [troubled.senderId],
      )
      if (rows.length < 100) return
      await wait(POLL_MS)
    }
  }
  const endpoint = await startEndpoint()
  opened.defer(() => endpoint.stop())
  await addEndpoints(databaseUrl, [troubled], { ...receiver, urlOf: () => endpoint.url, trust: () => {} })

  return {
    [`a workspace that sends ${count(MASS)} messages at once`]: async () => {
      await setThroughput('STANDARD')
      let isOver = false
      const sending = sendMany(MASS, () => isOver)
      return async () => {
        isOver = true
        say(`${count(await sending)} requests were sent meanwhile`)
        await workOff()
      }
    },
    'a number at its limit': async () => {
      await setThroughput('STANDARD')
      await sendMany(QUEUED, () => false)
      return workOff
    },
    'a locked quota row': async () => {
      const holder = new Client(databaseUrl)
      await holder.connect()
      await holder.query('begin')
      await holder.query('select from quota_usage where workspace_id = $1 for update', [troubled.workspaceId])
      return async () => {
        await holder.query('rollback')
        await holder.end()
      }
    },
    'a dead endpoint': async () => {
      endpoint.setDead(true)
      return async () => endpoint.setDead(false)
    },
  }
}

/** Answers every webhook, or none while it is dead. */
async function startEndpoint() {
  let isDead = false
  const server = createServer((request, response) => {
    request.resume()
    if (!isDead) request.once('end', () => response.writeHead(200, { 'content-length': 0 }).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    setDead(dead: boolean) {
      isDead = dead
      if (!dead) server.closeAllConnections()
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
