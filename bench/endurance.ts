import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type Figure, atLeast, atMost, count, megabytes, median, ms, percentile, perSecond, times } from './figures.ts'
import { insertStoredCodes } from './old-rows.ts'
import type { BenchPart, PartOptions } from './part.ts'
import { startReceiver } from './receiver.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { type Shop, openShops } from './shop.ts'
import { sendSteadily } from './steady.ts'
import { addEndpoints, startWay } from './whole-way.ts'

const PART = 'endurance'
const SHOPS = 10
const KEYS_EACH = 100
const UNDER_WAY = 1_000
const STORED = 10_000_000
/** Older than most of what a shop still looks at, and not old enough to be removed. */
const STORED_DAYS_AGO = 60
const WARM_UP_MS = 20_000
/** Of the whole way, to find its rate. */
const FULL_MS = 60_000
const SETTLE_MS = 3_000
const MINUTES = 30
const MINUTE_MS = 60_000
/** How long another session's transaction is open. */
const OPEN_MINUTES = 10
const CALM_MINUTES = 2
/** How much less a short run stores. */
const SHORT_STORED_BY = 100
/** The last third of the minutes beside the first. */
const MAX_GROWTH = 1.25
const MIN_KEPT_SHARE = 0.9

/**
 * Half of the whole way's rate for 30 minutes on top of ten million stored messages: nothing may grow but what is stored. Runs only by
 * name.
 */
export const endurance: BenchPart = async (options) => {
  await using opened = new AsyncDisposableStack()
  const { short, say } = options
  const stored = short ? STORED / SHORT_STORED_BY : STORED
  const way = await openWay(opened, options, {
    name: 'endurance',
    prepare: (clients, shops) => fill(clients, { shops, rows: stored, say }),
  })
  const rate = Math.floor((await way.full(FULL_MS)) / 2)
  say(`half of the whole way: ${perSecond(rate)}`)
  const minutes: Minute[] = []
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const measured = await way.minute(rate)
    minutes.push(measured)
    const { accepted, wire, webhook, memory, deadRows, size, age } = measured
    say(
      `minute ${minute}: p99 ${ms(accepted)} to the 202, ${ms(wire)} to the wire, ${ms(webhook)} to the webhook; ${megabytes(memory)}, ${count(deadRows)} dead rows, ${megabytes(size)} stored, age ${count(age)}`,
    )
  }
  return [
    { part: PART, what: 'messages stored before', figure: count(stored) },
    { part: PART, what: 'half of the whole way', figure: perSecond(rate) },
    growthOf(minutes, 'accepted', 'p99 from the request to the 202', ms),
    growthOf(minutes, 'wire', 'p99 from the 202 to the wire', ms),
    growthOf(minutes, 'webhook', 'p99 from the request to the webhook', ms),
    growthOf(minutes, 'memory', 'memory of the server', megabytes),
    growthOf(minutes, 'deadRows', 'dead rows', count),
    bloatOf(minutes),
    {
      part: PART,
      what: 'age of transaction ids, first and last minute',
      figure: `${count(minutes[0]?.age ?? 0)}, ${count(minutes.at(-1)?.age ?? 0)}`,
    },
  ] satisfies Figure[]
}

/**
 * The whole way for ten minutes beside a REPEATABLE READ transaction, which keeps old versions of rows from being removed, and before and
 * after. Runs only by name.
 */
export const openTransaction: BenchPart = async (options) => {
  await using opened = new AsyncDisposableStack()
  const { say } = options
  const way = await openWay(opened, options, { name: 'open_transaction' })
  const before = await way.full(CALM_MINUTES * FULL_MS)
  const other = await way.connect()
  await other.query('begin isolation level repeatable read')
  await other.query('select from senders limit 1')
  const beside = await way.full(OPEN_MINUTES * FULL_MS, async () => {
    const { deadRows } = await way.state()
    say(`beside an open transaction: ${count(way.done())} messages so far, ${count(deadRows)} dead rows`)
  })
  await other.query('rollback')
  const after = await way.full(CALM_MINUTES * FULL_MS)
  const kept = beside / ((before + after) / 2)
  const part = 'open transaction'
  return [
    { part, what: 'whole way before and after', figure: `${perSecond(before)}, ${perSecond(after)}` },
    {
      part,
      what: `beside a REPEATABLE READ transaction that is open for ${OPEN_MINUTES} min`,
      figure: `${perSecond(beside)}, ${times(kept)}`,
      goal: atLeast(kept, MIN_KEPT_SHARE, ' ×'),
    },
  ] satisfies Figure[]
}

type Prepare = (clients: readonly Client[], shops: readonly Shop[]) => Promise<void>

/** A server with its provider, receiver and clients. `prepare` runs before it starts. */
async function openWay(
  opened: AsyncDisposableStack,
  { postgres, provider, short, profile }: PartOptions,
  { name, prepare }: { name: string; prepare?: Prepare },
) {
  const database = await postgres.database(`bench_${name}`)
  opened.defer(() => database.drop())
  const { url: databaseUrl } = database
  const shops = await openShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS_EACH })
  const connect = async (): Promise<Client> => {
    const client = new Client(databaseUrl)
    await client.connect()
    opened.defer(() => client.end())
    return client
  }
  const connection = await connect()
  await prepare?.([connection, await connect()], shops)

  const receiver = opened.adopt(await startReceiver(), (each) => each.stop())
  await addEndpoints(databaseUrl, shops, receiver)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl, works: true, keepsAll: true, profile }),
    (each) => each.stop(),
  )
  const { messages, arrivedAt } = startWay(opened, { shops, server, receiver, provider })
  const duration = (fullMs: number): number => (short ? fullMs / 4 : fullMs)
  return {
    connect,
    done: messages.done,
    state: () => stateOf(connection, server),
    /** Messages a second that go the whole way. */
    async full(forMs: number, each: () => Promise<void> = async () => {}): Promise<number> {
      const running = messages.run(UNDER_WAY)
      await Promise.race([wait(WARM_UP_MS), running])
      const [from, began] = [messages.done(), performance.now()]
      for (let minute = 0; minute < forMs / FULL_MS; minute += 1) {
        await Promise.race([wait(duration(FULL_MS)), running])
        await each()
      }
      const rate = ((messages.done() - from) * 1000) / (performance.now() - began)
      messages.stop()
      await running
      await wait(SETTLE_MS)
      return rate
    },
    async minute(rate: number): Promise<Minute> {
      const load = { rate, ms: duration(MINUTE_MS), settleMs: SETTLE_MS }
      const taken = await sendSteadily({ messages, arrivedAt }, load)
      return {
        accepted: percentile(taken.requestToAccepted, 0.99),
        wire: percentile(taken.acceptedToWire, 0.99),
        webhook: percentile(taken.requestToWebhook, 0.99),
        ...(await stateOf(connection, server)),
      }
    },
  }
}

async function fill(
  clients: readonly Client[],
  { shops, rows, say }: { shops: readonly Shop[]; rows: number; say: (line: string) => void },
): Promise<void> {
  const began = performance.now()
  const waiting = [...shops]
  const work = async (client: Client): Promise<void> => {
    for (let shop = waiting.shift(); shop; shop = waiting.shift()) {
      await insertStoredCodes({ client, ...shop }, { rows: rows / shops.length, ageDays: STORED_DAYS_AGO })
      say(
        `${count(rows * (1 - waiting.length / shops.length))} rows after ${count((performance.now() - began) / 1000)} s`,
      )
    }
  }
  await Promise.all(clients.map(work))
  await clients[0]?.query('vacuum (analyze) messages')
}

/** Milliseconds, bytes, rows and transactions. */
type Minute = {
  accepted: number
  wire: number
  webhook: number
  memory: number
  deadRows: number
  size: number
  inserted: number
  age: number
}

async function stateOf(connection: Client, server: ServerProcess) {
  const { rows } = await connection.query<{ dead: string; inserted: string; size: string; age: number }>(
    `select sum(n_dead_tup)::text as dead, sum(n_tup_ins)::text as inserted,
       pg_database_size(current_database())::text as size,
       (select age(datfrozenxid) from pg_database where datname = current_database()) as age
     from pg_stat_user_tables`,
  )
  const [row] = rows
  return {
    memory: (await server.now()).rssBytes,
    deadRows: Number(row?.dead),
    inserted: Number(row?.inserted),
    size: Number(row?.size),
    age: row?.age ?? Number.NaN,
  }
}

const thirds = <Item>(items: readonly Item[]): [Item[], Item[]] => {
  const third = Math.floor(items.length / 3)
  return [items.slice(0, third), items.slice(-third)]
}

function growthOf(
  minutes: readonly Minute[],
  name: 'accepted' | 'wire' | 'webhook' | 'memory' | 'deadRows',
  what: string,
  text: (value: number) => string,
): Figure {
  const [first = Number.NaN, last = Number.NaN] = thirds(minutes).map((third) =>
    median(third.map((each) => each[name])),
  )
  return {
    part: PART,
    what: `${what}: medians of the first and the last ${count(minutes.length / 3)} min`,
    figure: `${text(first)}, ${text(last)}, ${times(last / first)}`,
    goal: atMost(last / first, MAX_GROWTH, ' ×'),
  }
}

/** What a row takes in tables and indexes: more of it later would be bloat. */
function bloatOf(minutes: readonly Minute[]): Figure {
  const [first = Number.NaN, last = Number.NaN] = thirds(minutes).map((third) => {
    const [from, to] = [third[0], third.at(-1)]
    return from && to ? (to.size - from.size) / (to.inserted - from.inserted) : Number.NaN
  })
  return {
    part: PART,
    what: 'bytes of tables and indexes for each inserted row, first and last third',
    figure: `${count(first)}, ${count(last)}, ${times(last / first)}`,
    goal: atMost(last / first, MAX_GROWTH, ' ×'),
  }
}
