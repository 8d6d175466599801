import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type Figure, count, megabytes, ms, perSecond, share, times } from './figures.ts'
import { insertOldCodes } from './old-rows.ts'
import type { BenchPart, PartOptions } from './part.ts'
import { openShop, startRemoval } from './retention.ts'
import { startServer } from './server-process.ts'
import { startWay } from './whole-way.ts'

const PART = 'upkeep'

/** What a large database costs besides its messages: transaction ids, full-page images, removal and indexes. */
export const upkeep: BenchPart = async (options) => [
  ...(await measureWear(options)),
  ...(await measureRemoval(options)),
]

const figure = (what: string, text: string): Figure => ({ part: PART, what, figure: text })

const SHOPS = 10
const MEASURED_MS = 20_000
/** Each code takes about half a second until its last report. */
const UNDER_WAY = [1, 20, 200] as const

/** Without messages; then at different rates, because busy nodes put more work into each transaction. */
async function measureWear(options: PartOptions): Promise<Figure[]> {
  const { provider, short, say } = options
  const shop = await openShop(options, 'bench_wear', SHOPS)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => shop.close())
  // Otherwise the codes would share a few pages, which are written whole only once after a checkpoint.
  await insertOldCodes(shop.old, { rows: short ? CODES / 4 : CODES, ageDays: 1 })
  await shop.client.query('vacuum analyze')
  const wear = await openWear(shop.client)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: shop.database.url, works: true, profile: options.profile }),
    (each) => each.stop(),
  )
  const { messages } = startWay(opened, { shops: shop.shops, server, receiver: shop.receiver, provider })
  const measuredMs = short ? MEASURED_MS / 4 : MEASURED_MS
  const idle = await wear.during(() => wait(measuredMs))
  const found: Figure[] = [
    figure(
      'a node without messages: transaction ids',
      `${((idle.transactionIds * 1000) / measuredMs).toFixed(1)} a second`,
    ),
  ]
  for (const underWay of UNDER_WAY) {
    const running = messages.run(underWay)
    const measure = async (when: string): Promise<void> => {
      const from = messages.done()
      const used = await wear.during(() => Promise.race([wait(measuredMs), running]))
      const done = messages.done() - from
      say(`${done} codes`)
      found.push(
        figure(
          `${underWay} under way, ${when}: transaction ids, besides those of the node`,
          `${((used.transactionIds - idle.transactionIds) / done).toFixed(1)} a code (${perSecond((done * 1000) / measuredMs)})`,
        ),
        figure(
          `${underWay} under way, ${when}: written to the WAL`,
          `${(used.walBytes / done / 1000).toFixed(1)} kB a code, ${share(used.imageBytes / used.walBytes)} full-page images`,
        ),
      )
    }
    await shop.client.query('checkpoint')
    await measure('just after a checkpoint')
    await measure('later')
    messages.stop()
    await running
  }
  return found
}

const CODES = 40_000
const ROWS_PER_CODE = 8
const LOOK_MS = 100
const TABLES = [
  'messages',
  'message_attempts',
  'provider_reports',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
] as const

/** Indexes of the same rows, built both ways; then the rows, removed as retention does, and dropped with their table. */
async function measureRemoval(options: PartOptions): Promise<Figure[]> {
  const { short } = options
  const codes = short ? CODES / 4 : CODES
  const shop = await openShop(options, 'bench_upkeep', 1)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => shop.close())
  const { client, database } = shop
  const wear = await openWear(client)
  await insertOldCodes(shop.old, { rows: codes, ageDays: 401 })
  await client.query('vacuum analyze')
  const writer = new Client(database.url)
  await writer.connect()
  opened.defer(() => writer.end())
  const plain = await buildIndex({ client, writer, how: '' })
  const concurrent = await buildIndex({ client, writer, how: 'concurrently' })

  for (const table of TABLES) {
    await client.query(`create table copy_of_${table} (like ${table} including all)`)
    await client.query(`insert into copy_of_${table} select * from ${table}`)
  }
  const sizeOf = async (): Promise<number> => {
    const { rows } = await client.query<{ bytes: number }>(
      'select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name',
      [TABLES],
    )
    return rows[0]?.bytes ?? Number.NaN
  }
  const before = await sizeOf()
  await client.query('checkpoint')
  const removed = await wear.during(async () => {
    const removal = await startRemoval(database.url)
    while ((await left(client)) > 0) await wait(LOOK_MS)
    await removal.stop()
  })
  const vacuumed = await wear.during(() => client.query(`vacuum ${TABLES.join(', ')}`))
  const after = await sizeOf()
  await client.query('checkpoint')
  const dropped = await wear.during(() =>
    client.query(`drop table ${TABLES.map((table) => `copy_of_${table}`).join(', ')}`),
  )
  const kilobytes = (bytes: number): string => `${(bytes / codes / 1000).toFixed(1)} kB`
  return [
    figure(
      `an index on ${count(3 * codes)} reports: create index, create index concurrently`,
      `${ms(plain.tookMs)}, ${times(concurrent.tookMs / plain.tookMs)} as long`,
    ),
    figure(
      'the longest that a write to the table waited meanwhile',
      `${share(plain.waitedMs / plain.tookMs)} of the build, ${share(concurrent.waitedMs / concurrent.tookMs)} of the build`,
    ),
    figure(
      `${count(codes)} codes with ${ROWS_PER_CODE} rows each, removed by retention: written to the WAL`,
      `${kilobytes(removed.walBytes)} each, ${share(removed.imageBytes / removed.walBytes)} full-page images; ${(removed.transactionIds / codes).toFixed(2)} transaction ids each`,
    ),
    figure('vacuum after it: written to the WAL', `${kilobytes(vacuumed.walBytes)} each`),
    figure('tables and indexes before, and after the vacuum', `${megabytes(before)}, ${megabytes(after)}`),
    figure(
      'the same rows in tables of their own, dropped: written to the WAL',
      `${(dropped.walBytes / 1000).toFixed(0)} kB in all, ${dropped.transactionIds} transaction id`,
    ),
  ]
}

const left = async (client: Client): Promise<number> =>
  (
    await client.query<{ rows: number }>(
      'select ((select count(*) from messages) + (select count(*) from provider_reports))::int as rows',
    )
  ).rows[0]?.rows ?? 0

/** While one session builds the index, another writes one row after the other. */
async function buildIndex({ client, writer, how }: { client: Client; writer: Client; how: '' | 'concurrently' }) {
  let waitedMs = 0
  let building = true
  const write = async (): Promise<void> => {
    const began = performance.now()
    await writer.query(
      'update provider_reports set attempts = attempts where id = (select id from provider_reports limit 1)',
    )
    waitedMs = Math.max(waitedMs, performance.now() - began)
  }
  const writing = (async () => {
    while (building) await write()
  })()
  const began = performance.now()
  await client.query(`create index ${how} reports_by_day on provider_reports (occurred_at, id)`)
  const tookMs = performance.now() - began
  building = false
  await writing
  await client.query('drop index reports_by_day')
  return { tookMs, waitedMs }
}

/** What the whole server used while something ran. */
type Wear = { transactionIds: number; walBytes: number; imageBytes: number }

type Position = { id: string; lsn: string }

/** Reads the WAL of the server with pg_walinspect, so it must be the only user of the server. */
async function openWear(client: Client) {
  await client.query('create extension if not exists pg_walinspect')
  const position = async (): Promise<Position> => {
    const { rows } = await client.query<Position>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as id, pg_current_wal_flush_lsn()::text as lsn',
    )
    if (!rows[0]) throw new Error('the server has no position')
    return rows[0]
  }
  return {
    async during(work: () => Promise<unknown>): Promise<Wear> {
      const from = await position()
      await work()
      const to = await position()
      const { rows } = await client.query<{ wal: number; images: number }>(
        `select (sum(record_size) + sum(fpi_size))::float8 as wal, sum(fpi_size)::float8 as images
         from pg_get_wal_stats($1::pg_lsn, $2::pg_lsn)`,
        [from.lsn, to.lsn],
      )
      const { wal = 0, images = 0 } = rows[0] ?? {}
      return { transactionIds: Number(BigInt(to.id) - BigInt(from.id)), walBytes: wal, imageBytes: images }
    },
  }
}
