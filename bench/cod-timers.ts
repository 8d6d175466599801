import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { withConnection } from '../test/database/postgres.ts'
import { type ConfirmationRequest, confirmationRequests, openCodShops } from './cod-shop.ts'
import { type Figure, atLeast, atMost, count, median, ms, percentile, perSecond, share, times } from './figures.ts'
import { type HttpClient, openHttpClient } from './http-client.ts'
import type { BenchPart } from './part.ts'
import { type BenchProvider, CONFIRMATION_TEMPLATE } from './provider.ts'
import { startReceiver } from './receiver.ts'
import { startServer } from './server-process.ts'
import { type Shop, TIME_OF_IDS } from './shop.ts'
import { addEndpoints, backlogOf } from './whole-way.ts'

const PART = 'COD timers'
const ARMED = 1_000_000
const SHOPS = 10
const KEYS = 1_000
const CONNECTIONS = 64
const UNDER_WAY = 500
/** Short and many: what else the machine does changes from one second to the next. */
const ROUND_MS = 2_000
const ROUNDS = 10
const FULL_SHARE = 0.9
const DUE_PER_SECOND = 500
const DUE_MS = 20_000
/** They are inserted before the first one is due. */
const DUE_AFTER_MS = 5_000
const MAX_LATENESS_MS = 1_000
const BURST = 10_000
const LAST_EVENTS_MS = 60_000

/** What armed timers cost concurrent senders, and how late timers fire. */
export const codTimers: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const armed = short ? ARMED / 10 : ARMED
  const receiver = opened.adopt(await startReceiver(), (receiver) => receiver.stop())
  const open = async (name: string) => {
    const database = opened.adopt(await postgres.database(name), (database) => database.drop())
    const { url: databaseUrl } = database
    const shops = await openCodShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS / SHOPS })
    return { databaseUrl, shops, rounds: [] as Round[] }
  }
  const empty = await open('bench_cod_no_timers')
  const full = await open('bench_cod_timers')
  await addEndpoints(full.databaseUrl, full.shops, receiver)
  const began = performance.now()
  await withConnection(full.databaseUrl, (connection) =>
    insertWaiting(connection, full.shops, {
      set: 0,
      size: armed,
      firstAt: new Date(Date.now() + DAY_MS),
      apartMs: 100,
    }),
  )
  say(`${count(armed)} timers armed in ${ms(performance.now() - began)}`)
  for (const { databaseUrl } of [empty, full])
    await withConnection(databaseUrl, (connection) => connection.query('vacuum analyze'))
  await withConnection(full.databaseUrl, (connection) => connection.query('checkpoint')) // part of the insert

  const serve = async ({ databaseUrl, shops }: typeof full) => {
    const server = opened.adopt(
      await startServer({ subject: 'doorcode', databaseUrl, works: true, profile }),
      (server) => server.stop(),
    )
    const client = opened.adopt(openHttpClient({ port: server.port, connections: CONNECTIONS }), (client) =>
      client.close(),
    )
    const next = confirmationRequests(shops)
    const round = async (): Promise<Round> => {
      const usage = async () => (await server.now()).cpuMs + ((await postgres.cpuMs()) ?? Number.NaN)
      const before = await usage()
      const { sent, rate } = await sendFor(ROUND_MS, { next, client, provider, databaseUrl })
      return { rate, usedMs: ((await usage()) - before) / sent }
    }
    return { server, round }
  }
  const emptyServer = await serve(empty)
  const fullServer = await serve(full)
  const sides = [
    { ...empty, ...emptyServer },
    { ...full, ...fullServer },
  ]
  for (const side of sides) await side.round() // warm-up
  for (let round = 1; round <= (short ? 4 : ROUNDS); round += 1) {
    // Each side starts with the state that the other left, so they take turns at going first.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.rounds.push(await side.round())
    say(
      `round ${round}: ${sides.map(({ rounds }) => perSecond(rounds.at(-1)?.rate ?? 0)).join(' without, ')} with them`,
    )
  }

  const punctual = await ring(full, { receiver, postgres, server: fullServer.server, short })
  const burst = await ringAtOnce(full, receiver)
  if (receiver.rejected() > 0) throw new Error(`${receiver.rejected()} webhooks did not verify`)
  const ratio = median(full.rounds.map(({ rate }, round) => rate / (empty.rounds[round]?.rate ?? Number.NaN)))
  const rate = perSecond(DUE_PER_SECOND)
  return [
    { part: PART, what: 'accepted and submitted, no timers armed', figure: figureOf(empty.rounds) },
    { part: PART, what: `accepted and submitted, ${count(armed)} timers armed`, figure: figureOf(full.rounds) },
    {
      part: PART,
      what: `with ${count(armed)} ÷ with none, median of the rounds`,
      figure: times(ratio),
      goal: atLeast(ratio, FULL_SHARE, ' ×'),
    },
    {
      part: PART,
      what: `deadlines ${rate}, from the deadline to its event: p50`,
      figure: ms(percentile(punctual.recorded, 0.5)),
    },
    {
      part: PART,
      what: `deadlines ${rate}, from the deadline to its event: p99`,
      figure: ms(percentile(punctual.recorded, 0.99)),
      goal: atMost(percentile(punctual.recorded, 0.99), MAX_LATENESS_MS, ' ms'),
    },
    {
      part: PART,
      what: `deadlines ${rate}, from the deadline to the receiver: p50, p99`,
      figure: `${ms(percentile(punctual.received, 0.5))}, ${ms(percentile(punctual.received, 0.99))}`,
    },
    {
      part: PART,
      what: `deadlines ${rate}, processor time: Doorcode, PostgreSQL`,
      figure: `${share(punctual.serverShare)}, ${share(punctual.postgresShare)}`,
    },
    { part: PART, what: `${count(BURST)} due in one instant: events recorded`, figure: perSecond(burst) },
  ] satisfies Figure[]
}

/** `usedMs`: CPU time of the server and PostgreSQL per confirmation. */
type Round = { rate: number; usedMs: number }

const figureOf = (rounds: readonly Round[]): string =>
  `${perSecond(median(rounds.map(({ rate }) => rate)))}, ${ms(median(rounds.map(({ usedMs }) => usedMs)))} of processor time each`

const DAY_MS = 86_400_000

type Waiting = {
  /** Distinguishes the ids and recipients of the sets. */
  set: number
  size: number
  /** The first deadline, and the time between two. */
  firstAt: Date
  apartMs: number
}

/** Confirmations that wait for an answer, as the submit loop leaves them. */
async function insertWaiting(
  connection: Client,
  shops: readonly Shop[],
  { set, size, firstAt, apartMs }: Waiting,
): Promise<void> {
  const { name, language } = CONFIRMATION_TEMPLATE
  await connection.query(
    `insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at, deadline_at)
     select id::uuid, ($1::uuid[])[1 + n % $3::int], ($2::uuid[])[1 + n % $3::int], $4 || lpad(n::text, 8, '0'), $5, $6, '{"body": ["5521", "349 MAD"]}',
       'order-' || n, id, gen_random_uuid(), 'bench', n, now(), 'awaiting_answer', now(),
       $7::timestamptz + n * $8::float8 * interval '1 ms'
     from generate_series(0, $9::int - 1) n
     cross join lateral (select $10 || lpad(n::text, 12, '0') as id) i`,
    [
      shops.map(({ workspaceId }) => workspaceId),
      shops.map(({ senderId }) => senderId),
      shops.length,
      recipientPrefix(set),
      name,
      language,
      firstAt,
      apartMs,
      size,
      `${TIME_OF_IDS}-7cc${set}-8000-`,
    ],
  )
}

const recipientPrefix = (set: number): string => `+212${5 + set}`

type Sending = { next: () => ConfirmationRequest; client: HttpClient; provider: BenchProvider; databaseUrl: string }

/** Confirmations per second that reached the provider, with a constant number in progress. */
async function sendFor(
  roundMs: number,
  { next, client, provider, databaseUrl }: Sending,
): Promise<{ sent: number; rate: number }> {
  const underWay = new Map<string, () => void>()
  provider.onSend(({ recipient }) => {
    underWay.get(recipient)?.()
    underWay.delete(recipient)
  })
  let sent = 0
  const began = performance.now()
  const work = async (): Promise<void> => {
    while (performance.now() - began < roundMs) {
      const { recipient, text } = next()
      const arrived = new Promise<void>((resolve) => underWay.set(recipient, resolve))
      const status = await client.send(text)
      if (status !== 202) throw new Error(`a request was answered ${status}`)
      await arrived
      sent += 1
    }
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, work))
  const rate = (sent * 1000) / (performance.now() - began)
  await untilNothingIsDue(databaseUrl)
  return { sent, rate }
}

const IDLE_AFTER_MS = 30_000

/** Work left by one round must not run in the next. */
async function untilNothingIsDue(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, async (connection) => {
    const deadline = performance.now() + IDLE_AFTER_MS
    while ((await backlogOf(connection)) > 0) {
      if (performance.now() > deadline) throw new Error('the work of a round did not end')
      await wait(20)
    }
  })
}

type Ringing = {
  receiver: Awaited<ReturnType<typeof startReceiver>>
  postgres: Parameters<BenchPart>[0]['postgres']
  server: Awaited<ReturnType<typeof startServer>>
  short: boolean
}
type Database = { databaseUrl: string; shops: readonly Shop[] }

/** How late each deadline was, in ms: when its event was recorded, and when it reached the receiver. */
async function ring({ databaseUrl, shops }: Database, { receiver, postgres, server, short }: Ringing) {
  const set = 1
  const forMs = short ? DUE_MS / 4 : DUE_MS
  const size = (DUE_PER_SECOND * forMs) / 1000
  const firstAt = new Date(Date.now() + DUE_AFTER_MS)
  const apartMs = 1000 / DUE_PER_SECOND
  const received: number[] = []
  const unexpected: string[] = []
  const receivedFrom = new Set<string>()
  receiver.onEvent(({ type, to }) => {
    if (type !== 'cod.no_response') unexpected.push(`${type} of ${to}`)
    if (receivedFrom.has(to)) return // duplicate deliveries are allowed
    receivedFrom.add(to)
    const index = Number(to.slice(recipientPrefix(set).length))
    received.push(Date.now() - (firstAt.getTime() + index * apartMs))
  })
  return withConnection(databaseUrl, async (connection) => {
    await insertWaiting(connection, shops, { set, size, firstAt, apartMs })
    if (new Date() > firstAt) throw new Error('the first deadline passed before all were there')
    await wait(firstAt.getTime() - Date.now())
    const usage = async () => ({
      at: performance.now(),
      server: (await server.now()).cpuMs,
      postgres: (await postgres.cpuMs()) ?? Number.NaN,
    })
    const before = await usage()
    await wait(forMs)
    const after = await usage()
    await until(() => received.length >= size, `${size} deadlines to come to the receiver`)
    if (unexpected.length > 0) throw new Error(`unexpected webhooks: ${unexpected.join(', ')}`)
    const elapsedMs = after.at - before.at
    return {
      received,
      recorded: await recordedLateness(connection, set),
      serverShare: (after.server - before.server) / elapsedMs,
      postgresShare: (after.postgres - before.postgres) / elapsedMs,
    }
  })
}

/** An event of a deadline occurred at the deadline, whenever it was received. */
async function recordedLateness(connection: Client, set: number): Promise<number[]> {
  const answer = await connection.query<{ late_ms: number }>(
    `select extract(epoch from e.recorded_at - e.occurred_at)::float8 * 1000 as late_ms
     from events e join confirmations c on c.id = e.confirmation_id where c.recipient like $1`,
    [`${recipientPrefix(set)}%`],
  )
  return answer.rows.map((row) => row.late_ms)
}

/** Events per second when many deadlines are due at once, as in a restart after an outage. */
async function ringAtOnce({ databaseUrl, shops }: Database, receiver: Ringing['receiver']): Promise<number> {
  const set = 2
  let received = 0
  receiver.onEvent(() => {
    received += 1
  })
  return withConnection(databaseUrl, async (connection) => {
    const firstAt = new Date(Date.now() + DUE_AFTER_MS)
    await insertWaiting(connection, shops, { set, size: BURST, firstAt, apartMs: 0 })
    await until(() => received >= BURST, `${BURST} deadlines to come to the receiver`)
    const lateness = await recordedLateness(connection, set)
    return (BURST * 1000) / percentile(lateness, 1)
  })
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + LAST_EVENTS_MS
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}`)
    await wait(20)
  }
}
