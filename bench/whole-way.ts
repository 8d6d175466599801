import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { readConfig } from '../src/lib/config.ts'
import { addEndpoint } from '../test/world/set-up.ts'
import { type Figure, atLeast, atMost, count, megabytes, ms, percentile, perSecond, share } from './figures.ts'
import { type HttpClient, openHttpClient } from './http-client.ts'
import type { BenchPart } from './part.ts'
import type { BenchPostgres } from './postgres.ts'
import type { Arrival, BenchProvider } from './provider.ts'
import { type BenchReceiver, startReceiver } from './receiver.ts'
import { INSTANCE_KEY } from '../test/database/seal.ts'
import { type ServerProcess, memoryOf, startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests, setupParts } from './shop.ts'
import { type Status, statusWebhook } from './provider-webhooks.ts'

const PART = 'whole way'
/** Each shop has one number of the highest throughput, 1,000/s, so that our pacing does not limit the rate. */
const SHOPS = 10
const KEYS = 1_000
/** A message starts when another is complete, so that the number in progress stays constant. */
const UNDER_WAY = 1_000
const WARM_UP_MS = 10_000
const SUSTAINED_MS = 60_000
const CONNECTIONS = 64
/** Check interval. If no message completed in this time, something broke. */
const CHECK_INTERVAL_MS = 5_000

/**
 * Accept → provider → sent, delivered and read webhooks in → one signed webhook out, verified by its receiver. A
 * message is complete when its webhook was received and its last status was answered 200.
 */
export const endToEnd: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  const database = await postgres.database('bench_whole_way')
  const shops = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS,
    keysEach: KEYS / SHOPS,
  })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => database.drop())
  const receiver = opened.adopt(await startReceiver(), (receiver) => receiver.stop())
  await addEndpoints(database.url, shops, receiver)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, profile }),
    (server) => server.stop(),
  )
  const connection = new Client(database.url)
  await connection.connect()
  opened.defer(() => connection.end())

  const { messages } = startWay(opened, { shops, server, receiver, provider })
  const running = messages.run(UNDER_WAY)
  await wait(short ? WARM_UP_MS / 2 : WARM_UP_MS)

  const before = await usageOf({ server, postgres, connection, done: messages.done() })
  const backlogs: number[] = []
  const rates: number[] = []
  const until = performance.now() + (short ? SUSTAINED_MS / 4 : SUSTAINED_MS)
  while (performance.now() < until) {
    const [from, began] = [messages.done(), performance.now()]
    await Promise.race([wait(CHECK_INTERVAL_MS), running])
    if (messages.done() === from) throw new Error(`nothing went the whole way in ${CHECK_INTERVAL_MS / 1000} s`)
    rates.push(((messages.done() - from) * 1000) / (performance.now() - began))
    backlogs.push(await backlogOf(connection))
    say(
      `${perSecond(rates.at(-1) ?? 0)}, ${count(backlogs.at(-1) ?? 0)} rows due, ${megabytes(server.samples.at(-1)?.rssBytes ?? 0)}`,
    )
  }
  const after = await usageOf({ server, postgres, connection, done: messages.done() })
  messages.stop()
  await running
  const elapsedMs = after.at - before.at
  const rate = ((after.done - before.done) * 1000) / elapsedMs
  const memory = memoryOf(server.samples)
  if (receiver.rejected() > 0) throw new Error(`${receiver.rejected()} webhooks did not verify`)
  return [
    {
      part: PART,
      what: `${UNDER_WAY} under way, ${count(elapsedMs / 1000)} s: messages`,
      figure: perSecond(rate),
      goal: atLeast(rate, 1_000, '/s'),
    },
    {
      part: PART,
      what: 'slowest and fastest 5 s of it',
      figure: `${perSecond(Math.min(...rates))}, ${perSecond(Math.max(...rates))}`,
    },
    {
      part: PART,
      what: "from the client's request to the webhook at the receiver: p50",
      figure: ms(percentile(messages.latencies, 0.5)),
    },
    {
      part: PART,
      what: "from the client's request to the webhook at the receiver: p99",
      figure: ms(percentile(messages.latencies, 0.99)),
    },
    {
      part: PART,
      what: 'rows due, at the first and the last look',
      figure: `${count(backlogs[0] ?? 0)}, ${count(backlogs.at(-1) ?? 0)}`,
    },
    ...usageFigures(PART, before, after),
    {
      part: PART,
      what: 'memory of the server: second and last third',
      figure: `${megabytes(memory.first)}, ${megabytes(memory.last)}`,
    },
    {
      part: PART,
      what: 'peak memory of the server',
      figure: megabytes(memory.highest),
      goal: atMost(memory.highest / 1024 / 1024, 300, ' MB'),
    },
  ] satisfies Figure[]
}

export async function addEndpoints(
  databaseUrl: string,
  shops: readonly Shop[],
  receiver: BenchReceiver,
): Promise<void> {
  const parts = await setupParts(databaseUrl)
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  for (const [index, { workspaceId }] of shops.entries()) {
    const { secret } = await addEndpoint({ ...parts, config }, { workspaceId, url: receiver.urlOf(index) })
    receiver.trust(index, secret)
  }
  await parts.close()
}

type WayParts = {
  /** Whose messages `messages` begins. */
  shops: readonly Shop[]
  /** All whose messages are reported. */
  reported?: readonly Shop[]
  server: Pick<ServerProcess, 'port'>
  receiver: BenchReceiver
  provider: BenchProvider
}

/** What is around a server: its clients, and a provider that reports what arrives, and when. `opened` ends them. */
export function startWay(
  opened: AsyncDisposableStack,
  { shops, reported = shops, server: { port }, receiver, provider }: WayParts,
) {
  const open = () => opened.adopt(openHttpClient({ port, connections: CONNECTIONS }), (each) => each.close())
  const messages = startMessages({ shops, client: open(), receiver })
  const reports = opened.adopt(startReports(reported, open(), messages), (each) => each.stop())
  /** By recipient. */
  const arrivedAt = new Map<string, number>()
  provider.onSend((arrival) => {
    arrivedAt.set(arrival.recipient, arrival.at)
    reports.begin(arrival)
  })
  return { messages, arrivedAt }
}

type UnderWay = { at: number; webhook: boolean; reports: boolean; over: () => void }

export type Messages = ReturnType<typeof startMessages>

function startMessages({
  shops,
  client,
  receiver,
}: {
  shops: readonly Shop[]
  client: HttpClient
  receiver: BenchReceiver
}) {
  const requests = otpRequests(shops)
  const underWay = new Map<string, UnderWay>()
  const latencies: number[] = []
  const broken = Promise.withResolvers<never>()
  let done = 0
  let stopped = false

  const endIfOver = (recipient: string, message: UnderWay): void => {
    if (!message.webhook || !message.reports) return
    underWay.delete(recipient)
    done += 1
    message.over()
  }
  receiver.onEvent(({ type, to }) => {
    if (type !== 'message.sent') return broken.reject(new Error(`unexpected webhook ${type} of ${to}`))
    const message = underWay.get(to)
    if (!message || message.webhook) return // duplicate deliveries are allowed
    message.webhook = true
    latencies.push(performance.now() - message.at)
    endIfOver(to, message)
  })

  const begin = (): { recipient: string; status: Promise<number>; ended: Promise<void> } => {
    const request = requests.next()
    const recipient = requests.lastRecipient()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    underWay.set(recipient, { at: performance.now(), webhook: false, reports: false, over: resolve })
    return { recipient, status: client.send(request), ended }
  }
  const one = async (): Promise<void> => {
    const { status, ended } = begin()
    const answered = await status
    if (answered !== 202) throw new Error(`a request was answered ${answered}`)
    await ended
  }
  const work = async (): Promise<void> => {
    while (!stopped) await one()
  }
  return {
    latencies,
    /** Starts one message; without it, `run` does. */
    begin,
    done: () => done,
    reported(recipient: string): void {
      const message = underWay.get(recipient)
      if (!message) return
      message.reports = true
      endIfOver(recipient, message)
    },
    async run(workers: number): Promise<void> {
      stopped = false
      await Promise.race([Promise.all(Array.from({ length: workers }, work)), broken.promise])
    },
    fail: (error: Error): void => broken.reject(error),
    stop() {
      stopped = true
    },
  }
}

const OUTCOMES = ['sent', 'delivered', 'read'] as const
/** After the provider's answer. */
const REPORTED_AFTER_MS = { sent: 10, delivered: 150, read: 300 } as const
const TICK_MS = 10
/** Shops with an even index get their statuses in batches: all of this many ms in one POST. */
const BATCH_MS = 100
const MAX_BATCH = 100

type Planned = { shop: Shop; status: Status }

/** The provider's side of what follows a send: its statuses, half of the shops one per POST, half in batches. */
function startReports(shops: readonly Shop[], client: HttpClient, messages: Pick<Messages, 'reported' | 'fail'>) {
  const shopOf = new Map(shops.map((shop, index) => [shop.phoneNumberId, { shop, batches: index % 2 === 0 }]))
  const planned = new Map<number, Planned[]>()
  let nextTick = Math.floor(performance.now() / TICK_MS)

  const begin = ({ phoneNumberId, recipient, providerMessageId, callbackData }: Arrival): void => {
    const found = shopOf.get(phoneNumberId)
    if (!found) return messages.fail(new Error(`a send came from the number ${phoneNumberId}, which no shop has`))
    for (const outcome of OUTCOMES) {
      const grain = found.batches ? BATCH_MS : TICK_MS
      const tick = (Math.ceil((performance.now() + REPORTED_AFTER_MS[outcome]) / grain) * grain) / TICK_MS
      const status = { providerMessageId, outcome, recipient, callbackData }
      const same = planned.get(tick)
      if (same) same.push({ shop: found.shop, status })
      else planned.set(tick, [{ shop: found.shop, status }])
    }
  }
  const postDue = (): void => {
    for (const now = Math.floor(performance.now() / TICK_MS); nextTick <= now; nextTick += 1) {
      const due = planned.get(nextTick) ?? []
      planned.delete(nextTick)
      for (const [shop, of] of Map.groupBy(due, (each) => each.shop)) {
        const batchSize = shopOf.get(shop.phoneNumberId)?.batches ? MAX_BATCH : 1
        for (let from = 0; from < of.length; from += batchSize)
          void postTogether(
            shop,
            of.slice(from, from + batchSize).map(({ status }) => status),
          )
      }
    }
  }
  const postTogether = async (shop: Shop, statuses: readonly Status[]): Promise<void> => {
    const answer = await client.send(statusWebhook(shop, statuses))
    if (answer !== 200) return messages.fail(new Error(`a provider webhook was answered ${answer}`))
    for (const { outcome, recipient } of statuses) if (outcome === 'read') messages.reported(recipient)
  }
  const timer = setInterval(postDue, TICK_MS)
  return { begin, stop: () => clearInterval(timer) }
}

/** The resources used so far. `walBytes` and `storedBytes` count the database with its indexes. */
export async function usageOf({
  server,
  postgres,
  connection,
  done,
}: {
  server: ServerProcess
  postgres: BenchPostgres
  connection: Client
  done: number
}) {
  const { cpuMs: serverMs } = await server.now()
  const { user, system } = process.cpuUsage()
  const postgresMs = (await postgres.cpuMs()) ?? Number.NaN
  const { rows } = await connection.query<{ wal: string; stored: string }>(
    `select (pg_current_wal_lsn() - '0/0')::text as wal, pg_database_size(current_database())::text as stored`,
  )
  const [walBytes = Number.NaN, storedBytes = Number.NaN] = [rows[0]?.wal, rows[0]?.stored].map(Number)
  const benchMs = (user + system) / 1000
  return { at: performance.now(), done, serverMs, postgresMs, benchMs, walBytes, storedBytes }
}

type Usage = Awaited<ReturnType<typeof usageOf>>

/** What each of them cost, from which docs/capacity-planning.md makes its sums. */
export function usageFigures(part: string, before: Usage, after: Usage): Figure[] {
  const elapsedMs = after.at - before.at
  const done = after.done - before.done
  const time = (usedMs: number): string => `${share(usedMs / elapsedMs)} of a core, ${ms(usedMs / done)} each`
  const kilobytes = (bytes: number): string => `${(bytes / done / 1000).toFixed(1)} kB each`
  return [
    { part, what: 'processor time: Doorcode', figure: time(after.serverMs - before.serverMs) },
    { part, what: 'processor time: PostgreSQL', figure: time(after.postgresMs - before.postgresMs) },
    { part, what: 'processor time: the bench itself', figure: time(after.benchMs - before.benchMs) },
    { part, what: 'written to the WAL', figure: kilobytes(after.walBytes - before.walBytes) },
    { part, what: 'tables and indexes', figure: kilobytes(after.storedBytes - before.storedBytes) },
  ]
}

/** Number of messages to send, reports to process and webhooks to deliver. */
export async function backlogOf(client: Client): Promise<number> {
  const answer = await client.query<{ due: number }>(
    `select ((select count(*) from messages where due_at is not null)
       + (select count(*) from provider_reports where due_at is not null)
       + (select count(*) from webhook_deliveries where due_at is not null))::int as due`,
  )
  return answer.rows[0]?.due ?? 0
}
