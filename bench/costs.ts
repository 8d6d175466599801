import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type Figure, atMost, megabytes, ms, percentile, perSecond } from './figures.ts'
import type { BenchPart, PartOptions } from './part.ts'
import type { BenchPostgres } from './postgres.ts'
import { startReceiver } from './receiver.ts'
import type * as serverProcess from './server-process.ts'
import type * as shop from './shop.ts'
import { sendSteadily } from './steady.ts'
import type * as wholeWay from './whole-way.ts'
import { startWay } from './whole-way.ts'

const SHOPS = 10
const KEYS_EACH = 100
/** Messages under way at full load. */
const UNDER_WAY = 1_000
/** Messages a second. */
const STEADY_RATES = [50, 100, 200] as const
/** A whole minute, because the slow background work runs once a minute. Also in a short run. */
const IDLE_MS = 60_000
const WARM_UP_MS = 6_000
const FULL_MS = 16_000
const STEADY_MS = 8_000
/** Until the last reports and webhooks of a steady rate have arrived. */
const SETTLE_MS = 1_000
/** Between full load, which also compiled every function and planned every statement, and the steady rates. */
const QUIET_MS = 3_000

/** What a message costs; each figure is named in the table. */
export type Costs = Readonly<Record<CostName, number>>

/** How each figure is printed, and its goal. Those with `higher` are better when they are higher. */
export const COST_NAMES = {
  rate: { what: `${UNDER_WAY} under way: messages a second`, print: perSecond, higher: true },
  cpu: { what: `${UNDER_WAY} under way: processor time of Doorcode and PostgreSQL, each`, print: ms, goal: 1.1 },
  ids: { what: `${UNDER_WAY} under way: transaction ids, each`, print: oneDecimal, goal: 2 },
  wal: { what: `${UNDER_WAY} under way: WAL, each`, print: kilobytes },
  wire200: { what: '200/s: from the 202 to the wire, p50', print: ms, goal: 3 },
  wire100: { what: '100/s: from the 202 to the wire, p50', print: ms },
  wire50: { what: '50/s: from the 202 to the wire, p50', print: ms, goal: 3 },
  accept100: { what: '100/s: from the request to the 202, p50', print: ms },
  webhook100: { what: '100/s: from the request to the webhook, p50', print: ms },
  ids100: { what: '100/s: transaction ids, each', print: oneDecimal, goal: 2 },
  doorcode50: { what: '50/s: processor time of Doorcode, each', print: ms },
  postgres50: { what: '50/s: processor time of PostgreSQL, each', print: ms, goal: 1.5 },
  idle: { what: 'idle: processor time of Doorcode and PostgreSQL', print: percent, goal: 0.005 },
  memory: { what: 'peak memory of the server', print: megabytes, goal: 240 * 1024 * 1024 },
} as const satisfies Record<string, CostFigure>

type CostFigure = { what: string; print: (value: number) => string; goal?: number; higher?: true }

export type CostName = keyof typeof COST_NAMES

function oneDecimal(value: number): string {
  return value.toFixed(1)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function percent(value: number): string {
  return `${(value * 100).toFixed(2)} % of a core`
}

/** The costs of a message of this checkout. */
export const costs: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  const measured = await measureCosts(path.resolve(import.meta.dirname, '..'), {
    postgres,
    provider,
    short,
    profile,
    say,
  })
  return Object.entries(COST_NAMES).map(([name, { what, print, ...rest }]): Figure => {
    const value = measured[name as CostName]
    const goal = 'goal' in rest ? rest.goal : undefined
    return {
      part: 'costs',
      what,
      figure: print(value),
      ...(goal !== undefined && { goal: { ...atMost(value, goal), text: `≤ ${print(goal)}` } }),
    }
  })
}

/** What a checkout has to offer to be measured: its own files set it up and start its server. */
type Subject = Pick<typeof shop, 'openShops'> &
  Pick<typeof wholeWay, 'addEndpoints'> &
  Pick<typeof serverProcess, 'startServer'>

async function subjectAt(checkout: string): Promise<Subject> {
  const load = async (file: string): Promise<object> => (await import(path.join(checkout, 'bench', file))) as object
  return {
    ...(await load('shop.ts')),
    ...(await load('whole-way.ts')),
    ...(await load('server-process.ts')),
  } as Subject
}

/** Measures the checkout at this folder. `postgres` is migrated by the same checkout. */
export async function measureCosts(
  checkout: string,
  { postgres, provider, short, profile, say }: PartOptions,
): Promise<Costs> {
  const { openShops, addEndpoints, startServer } = await subjectAt(checkout)
  await using opened = new AsyncDisposableStack()
  const database = await postgres.database('bench_costs')
  opened.defer(() => database.drop())
  const shops = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS,
    keysEach: KEYS_EACH,
  })
  const receiver = opened.adopt(await startReceiver(), (each) => each.stop())
  await addEndpoints(database.url, shops, receiver)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, servesDashboard: true, profile }),
    (each) => each.stop(),
  )
  const connection = new Client(database.url)
  await connection.connect()
  opened.defer(() => connection.end())
  const usage = (): Promise<Usage> => usageOf(server, postgres, connection)
  const duration = (whole: number): number => (short ? whole / 4 : whole)

  const { messages, arrivedAt } = startWay(opened, { shops, server, receiver, provider })
  // First, while no vacuum or checkpoint follows a load.
  const idleBegin = await usage()
  await wait(IDLE_MS)
  const idle = usedBetween(idleBegin, await usage())

  const running = messages.run(UNDER_WAY)
  await wait(duration(WARM_UP_MS))
  const [full, done] = [await usage(), messages.done()]
  await Promise.race([wait(duration(FULL_MS)), running])
  const fullEnd = await usage()
  const fullDone = messages.done() - done
  messages.stop()
  await running
  const fullUsed = usedBetween(full, fullEnd)
  say(`${perSecond((fullDone * 1000) / fullUsed.elapsedMs)} at full load`)
  await wait(QUIET_MS)

  const steady = new Map<number, { each: Used; done: number; wire: number; accept: number; webhook: number }>()
  for (const rate of STEADY_RATES) {
    const before = await usage()
    const times = await sendSteadily({ messages, arrivedAt }, { rate, ms: duration(STEADY_MS), settleMs: SETTLE_MS })
    const each = usedBetween(before, await usage())
    steady.set(rate, {
      each,
      done: times.requestToAccepted.length,
      wire: percentile(times.acceptedToWire, 0.5),
      accept: percentile(times.requestToAccepted, 0.5),
      webhook: percentile(times.requestToWebhook, 0.5),
    })
    say(`${rate}/s: ${ms(steady.get(rate)?.wire ?? 0)} to the wire`)
  }
  if (receiver.rejected() > 0) throw new Error(`${receiver.rejected()} webhooks did not verify`)
  const at = (rate: (typeof STEADY_RATES)[number]) => {
    const measured = steady.get(rate)
    if (!measured) throw new Error(`${rate}/s was not measured`)
    return measured
  }
  return {
    rate: (fullDone * 1000) / fullUsed.elapsedMs,
    cpu: (fullUsed.serverMs + fullUsed.postgresMs) / fullDone,
    ids: fullUsed.transactionIds / fullDone,
    wal: fullUsed.walBytes / fullDone,
    wire200: at(200).wire,
    wire100: at(100).wire,
    wire50: at(50).wire,
    accept100: at(100).accept,
    webhook100: at(100).webhook,
    ids100: at(100).each.transactionIds / at(100).done,
    doorcode50: at(50).each.serverMs / at(50).done,
    postgres50: at(50).each.postgresMs / at(50).done,
    idle: (idle.serverMs + idle.postgresMs) / idle.elapsedMs,
    memory: Math.max(...server.samples.map(({ rssBytes }) => rssBytes)),
  }
}

type Usage = { at: number; serverMs: number; postgresMs: number; transactionIds: number; walBytes: number }

async function usageOf(
  server: serverProcess.ServerProcess,
  postgres: BenchPostgres,
  connection: Client,
): Promise<Usage> {
  const { cpuMs: serverMs } = await server.now()
  const { rows } = await connection.query<{ ids: string; wal: string }>(
    `select pg_snapshot_xmax(pg_current_snapshot())::text as ids, (pg_current_wal_lsn() - '0/0')::text as wal`,
  )
  return {
    at: performance.now(),
    serverMs,
    postgresMs: (await postgres.cpuMs()) ?? Number.NaN,
    transactionIds: Number(rows[0]?.ids),
    walBytes: Number(rows[0]?.wal),
  }
}

type Used = { elapsedMs: number } & Omit<Usage, 'at'>

const usedBetween = (before: Usage, after: Usage): Used => ({
  elapsedMs: after.at - before.at,
  serverMs: after.serverMs - before.serverMs,
  postgresMs: after.postgresMs - before.postgresMs,
  transactionIds: after.transactionIds - before.transactionIds,
  walBytes: after.walBytes - before.walBytes,
})
