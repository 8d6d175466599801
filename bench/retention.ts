import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { findUncountedSince } from '../src/charts/daily.ts'
import { DAY_MS, later } from '../src/lib/clock.ts'
import { readConfig } from '../src/lib/config.ts'
import { startLoop } from '../src/runtime/jobs/loop.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { confirmRemoval, createRemovalGuard } from '../src/operations/lifecycle/retention/guard.ts'
import { retentionLoop } from '../src/operations/lifecycle/retention/loop.ts'
import { type Figure, atLeast, atMost, count, median, megabytes, perSecond, times } from './figures.ts'
import { type OldRows, insertOldOrders, insertOldCodes } from './old-rows.ts'
import type { BenchPart, PartOptions } from './part.ts'
import { startReceiver } from './receiver.ts'
import { INSTANCE_KEY } from '../test/database/seal.ts'
import { startServer } from './server-process.ts'
import { type Shop, openShops, setupParts } from './shop.ts'
import { addEndpoints, startWay } from './whole-way.ts'

const PART = 'retention'

/** Removal on its own, then while sending, then a simulated year. */
export const retention: BenchPart = async (options) => [
  ...(await measureRemoval(options)),
  ...(await measureSending(options)),
  ...(await measureYear(options)),
]

const configOf = (databaseUrl: string, keep: { content: number; records: number }) =>
  readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_KEEP_CONTENT_DAYS: String(keep.content),
    DOORCODE_KEEP_RECORDS_DAYS: String(keep.records),
  })

const DEFAULTS = { content: 90, records: 400 }

/** The loop as a worker runs it, with its pauses. */
export async function startRemoval(databaseUrl: string) {
  const parts = await setupParts(databaseUrl)
  const config = configOf(databaseUrl, DEFAULTS)
  const loop = startLoop(
    retentionLoop({
      ...parts,
      guard: createRemovalGuard({ ...parts, config, metrics: createMetrics() }),
      findUncountedSince,
    }),
    parts.log,
  )
  return {
    async stop() {
      await loop.stop()
      await parts.close()
    },
  }
}

export async function openShop({ postgres, provider }: PartOptions, name: string, shops: number) {
  const database = await postgres.database(name)
  const opened = await openShops({ databaseUrl: database.url, graphUrl: provider.url, shops, keysEach: 100 })
  const receiver = await startReceiver()
  await addEndpoints(database.url, opened, receiver)
  const client = new Client(database.url)
  await client.connect()
  const age = await client.query<{ shift: string }>(`update workspaces set created_at = now() - interval '500 days'
    returning '' as shift`)
  if (age.rowCount !== shops) throw new Error('the shops are missing')
  // Their days count as counted, so that no record waits for the charts.
  await client.query(`insert into daily_figures (workspace_id, day, time_zone, groups, counted_at)
    select id, current_date - 1, 'UTC', '[]', now() from workspaces`)
  const first = opened[0]
  if (!first) throw new Error('there is no shop')
  return {
    database,
    shops: opened,
    receiver,
    client,
    old: await oldRowsOf(client, first),
    async close() {
      await client.end()
      await receiver.stop()
      await database.drop()
    },
  }
}

async function oldRowsOf(client: Client, { workspaceId, senderId, accountId }: Shop): Promise<OldRows> {
  const { rows } = await client.query<{ id: string }>('select id from webhook_endpoints where workspace_id = $1', [
    workspaceId,
  ])
  const endpointId = rows[0]?.id
  if (!endpointId) throw new Error('the shop has no endpoint')
  return { client, workspaceId, senderId, accountId, endpointId }
}

const countOf = async (client: Client, table: string, where: string): Promise<number> => {
  const { rows } = await client.query<{ rows: number }>(`select count(*)::int as rows from ${table} where ${where}`)
  return rows[0]?.rows ?? 0
}

const leftIn = async (client: Client, table: string): Promise<number> =>
  (await countOf(client, table, 'true')) + (await countOf(client, 'provider_reports', 'true'))

const CODES = 40_000
const ORDERS = 4_000
const MESSAGES_EACH_ORDER = 3
const LOOK_MS = 100

async function measureRemoval(options: PartOptions): Promise<Figure[]> {
  const { short, say } = options
  const shop = await openShop(options, 'bench_retention', 1)
  const [codes, orders] = short ? [CODES / 4, ORDERS / 4] : [CODES, ORDERS]
  const timed = async (isOver: () => Promise<boolean>): Promise<number> => {
    const began = performance.now()
    const removal = await startRemoval(shop.database.url)
    while (!(await isOver())) await wait(LOOK_MS)
    const tookMs = performance.now() - began
    await removal.stop()
    return tookMs
  }
  await insertOldCodes(shop.old, { rows: codes, ageDays: 401 })
  const codesMs = await timed(async () => (await leftIn(shop.client, 'messages')) === 0)
  say(`codes: ${perSecond((codes * 1000) / codesMs)}`)
  await insertOldOrders(shop.old, { rows: orders, ageDays: 91 })
  const contentMs = await timed(
    async () =>
      (await countOf(shop.client, 'messages', `content ->> 'type' <> 'removed'`)) +
        (await countOf(shop.client, 'provider_reports', `body <> ''`)) +
        (await countOf(shop.client, 'events', `body <> ''`)) ===
      0,
  )
  await shop.client.query('truncate messages, confirmations, provider_reports cascade')
  await insertOldOrders(shop.old, { rows: orders, ageDays: 402 })
  await shop.client.query('update retention set position = null, kept_since = null')
  const ordersMs = await timed(async () => (await leftIn(shop.client, 'confirmations')) === 0)
  const bothMs = await measureBoth(shop, codes, timed)
  await shop.close()
  const rate = (rows: number, ms: number): number => (rows * 1000) / ms
  const codeRate = rate(codes, codesMs)
  const orderRate = rate(orders * MESSAGES_EACH_ORDER, ordersMs)
  const contentRate = rate(orders * MESSAGES_EACH_ORDER, contentMs)
  const bothRate = rate(codes, bothMs)
  return [
    {
      part: PART,
      what: 'codes removed, and as many codes whose content is removed, by one loop at once',
      figure: perSecond(bothRate),
      goal: atLeast(bothRate, 1_000, '/s'),
    },
    {
      part: PART,
      what: 'codes removed, each with an attempt, 3 reports, an event and its webhook',
      figure: perSecond(codeRate),
      goal: atLeast(codeRate, 1_000, '/s'),
    },
    {
      part: PART,
      what: `messages of orders removed, ${MESSAGES_EACH_ORDER} each, with all that belongs to them`,
      figure: perSecond(orderRate),
      goal: atLeast(orderRate, 1_000, '/s'),
    },
    {
      part: PART,
      what: 'messages of orders whose content is removed, with their reports and webhooks',
      figure: perSecond(contentRate),
      goal: atLeast(contentRate, 1_000, '/s'),
    },
  ]
}

/** Like each day of a steady load: codes of day 400, whose content was removed on day 90, and as many of day 90. */
async function measureBoth(
  { client, old }: Awaited<ReturnType<typeof openShop>>,
  codes: number,
  timed: (isOver: () => Promise<boolean>) => Promise<number>,
): Promise<number> {
  await insertOldCodes(old, { rows: codes, ageDays: 401 })
  await client.query(`update provider_reports set body = ''`)
  await client.query(`update events set body = ''`)
  await client.query('update webhook_attempts set response = null')
  await client.query('vacuum analyze provider_reports, events, webhook_attempts')
  await insertOldCodes(old, { rows: codes, ageDays: 91 })
  await client.query(`update retention set position = uuidv7(-days), kept_since = now() - days
    from (select case class when 'content' then interval '200 days' else interval '500 days' end as days, step as name
      from retention) of_class where step = name`)
  return timed(async () => {
    const content = await countOf(client, 'provider_reports', `body <> ''`)
    const bodies = await countOf(client, 'events', `body <> ''`)
    const records = await countOf(client, 'messages', `created_at < now() - interval '200 days'`)
    const reports = await countOf(client, 'provider_reports', `received_at < now() - interval '200 days'`)
    return content + bodies + records + reports === 0
  })
}

const WORKERS = 1_000
const SHOPS = 10
const WARM_UP_MS = 8_000
/** Long enough for a few commits of each loop, short enough that both alternate on the same load of the machine. */
const WINDOW_MS = 6_000
const WINDOWS = 5

/** Sends codes end to end (whole-way.ts), while another worker removes old ones and while it does not. */
async function measureSending(options: PartOptions): Promise<Figure[]> {
  const { provider, short, profile, say } = options
  const shop = await openShop(options, 'bench_retention_sending', SHOPS)
  await insertOldCodes(shop.old, { rows: short ? 30_000 : 120_000, ageDays: 401 })
  // Does what autovacuum would have done. Without statistics, checking a foreign key reads all events of a workspace.
  await shop.client.query('vacuum analyze')
  await using opened = new AsyncDisposableStack()
  opened.defer(() => shop.close())
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: shop.database.url, works: true, profile, keepsAll: true }),
    (server) => server.stop(),
  )
  const { messages } = startWay(opened, { shops: shop.shops, server, receiver: shop.receiver, provider })
  const running = messages.run(WORKERS)
  await Promise.race([wait(WARM_UP_MS), running])

  const ratios: number[] = []
  const removedRates: number[] = []
  const rateOfWindow = async (): Promise<number> => {
    const [from, began] = [messages.done(), performance.now()]
    await Promise.race([wait(WINDOW_MS), running])
    return ((messages.done() - from) * 1000) / (performance.now() - began)
  }
  const oldRows = () => countOf(shop.client, 'messages', `created_at < now() - interval '100 days'`)
  let before = await rateOfWindow()
  for (let window = 0; window < (short ? 2 : WINDOWS); window += 1) {
    const left = await oldRows()
    const removal = await startRemoval(shop.database.url)
    const on = await rateOfWindow()
    await removal.stop()
    removedRates.push(((left - (await oldRows())) * 1000) / WINDOW_MS)
    const after = await rateOfWindow()
    ratios.push((2 * on) / (before + after))
    say(
      `off ${perSecond(before)}, on ${perSecond(on)}, off ${perSecond(after)}, removed ${perSecond(removedRates.at(-1) ?? 0)}`,
    )
    before = after
  }
  if ((await oldRows()) === 0) throw new Error('the old rows did not last for all windows')
  messages.stop()
  await running
  const ratio = median(ratios)
  return [
    {
      part: PART,
      what: 'whole way with removal ÷ without, windows in turns',
      figure: times(ratio),
      goal: atLeast(ratio, 0.9, ' ×'),
    },
    { part: PART, what: 'codes removed meanwhile', figure: perSecond(median(removedRates)) },
  ]
}

const DAYS = 365
const CODES_EACH_DAY = 200
const ORDERS_EACH_DAY = 20
/** Shorter than the defaults, so that most of the year lies after the first removal. */
const KEEP_IN_YEAR = { content: 30, records: 60 }
/** When sizes should stop growing: everything has been removed once, and its space was used again. */
const SETTLED_DAY = 120

/** Each day adds rows, and then removes everything that is too old by the clock of that day. */
async function measureYear(options: PartOptions): Promise<Figure[]> {
  const { short, say } = options
  const shop = await openShop(options, 'bench_retention_year', 1)
  const parts = await setupParts(shop.database.url)
  const config = configOf(shop.database.url, KEEP_IN_YEAR)
  // A day lasts half a second, so autovacuum must check its thresholds, which are those of the migrations, as often.
  await shop.client.query(`alter system set autovacuum_naptime = '1s'`)
  await shop.client.query('select pg_reload_conf()')
  const days = short ? SETTLED_DAY + 30 : DAYS
  let day = -1
  const clock = { now: () => later(new Date(), (day - days) * DAY_MS) }
  await parts.db.transaction((tx) => confirmRemoval(tx, { now: clock.now(), keep: config.keep }))
  const guard = createRemovalGuard({ ...parts, config, metrics: createMetrics() }, { timeOf: () => clock.now() })
  const loop = retentionLoop({ ...parts, guard, findUncountedSince: () => Promise.resolve(undefined) })
  let settled: Sizes | undefined
  for (day = 0; day < days; day += 1) {
    await insertOldCodes(shop.old, { rows: CODES_EACH_DAY, ageDays: days - day })
    await insertOldOrders(shop.old, { rows: ORDERS_EACH_DAY, ageDays: days - day })
    while ((await loop.turn()).more);
    if (day === SETTLED_DAY) settled = await sizesOf(shop.client)
    if (day % 30 === 0) say(`day ${day}: ${megabytes((await sizesOf(shop.client)).total)}`)
  }
  const end = await sizesOf(shop.client)
  await shop.client.query('alter system reset autovacuum_naptime')
  await shop.client.query('select pg_reload_conf()')
  await parts.close()
  await shop.close()
  if (!settled) throw new Error('the year is too short')
  const growth = end.total / settled.total
  const worst = Object.entries(end.tables)
    .map(([table, bytes]) => ({ table, growth: bytes / (settled.tables[table] ?? bytes) }))
    .toSorted((one, other) => other.growth - one.growth)[0]
  return [
    {
      part: PART,
      what: `tables and indexes on day ${days} ÷ day ${SETTLED_DAY}, ${count(CODES_EACH_DAY + ORDERS_EACH_DAY * MESSAGES_EACH_ORDER)} messages a day`,
      figure: `${times(growth)} of ${megabytes(settled.total)}`,
      goal: atMost(growth, 1.1, ' ×'),
    },
    { part: PART, what: 'the table that grew most', figure: `${worst?.table}: ${times(worst?.growth ?? 1)}` },
  ]
}

type Sizes = { total: number; tables: Record<string, number> }

const GROWING = [
  'messages',
  'message_attempts',
  'provider_reports',
  'confirmations',
  'cod_answers',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
]

async function sizesOf(client: Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    'select name, pg_total_relation_size(name::regclass)::text as bytes from unnest($1::text[]) as name',
    [GROWING],
  )
  const tables = Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]))
  return { tables, total: Object.values(tables).reduce((sum, bytes) => sum + bytes, 0) }
}
