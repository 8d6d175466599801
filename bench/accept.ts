import { type Figure, atLeast, atMost, count, median, megabytes, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { type Load, closedLoop, openLoop } from './load.ts'
import type { BenchPart, PartOptions } from './part.ts'
import type { BenchPostgres } from './postgres.ts'
import { type ServerProcess, memoryOf, startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests } from './shop.ts'

const PART = 'accept'
const KEYS = 1_000
const SHOPS = 100
/** Twice the largest group: one group fills while another commits. With fewer, the database waits for clients. */
const WORKERS = 512
const ROUND_MS = 3_000
const WARM_UP_MS = 3_000
const ROUNDS = 5
const OPEN_RATE = 1_000
const OPEN_MS = 20_000
const OPERATED_CONNECTIONS = 64
const OPERATED_MS = 20_000

const SUBJECTS = ['doorcode', 'floor', 'narrow', 'plain'] as const
type Subject = (typeof SUBJECTS)[number]

/** `POST /otp/messages` with every check and a durable commit, compared with a minimal and a naive implementation. */
export const accept: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  const database = await postgres.database('bench_accept')
  const rounds = short ? 2 : ROUNDS
  const spread = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS,
    keysEach: KEYS / SHOPS,
  })
  const hot = await openShops({ databaseUrl: database.url, graphUrl: provider.url, shops: 1, keysEach: KEYS })
  const servers = await startAll(database.url, profile)
  try {
    const many = await compare(servers, spread, {
      postgres,
      rounds,
      say: (line) => say(`${SHOPS} workspaces, ${line}`),
    })
    const one = await compare(servers, hot, { postgres, rounds, say: (line) => say(`1 workspace, ${line}`) })
    const steady = await steadily(servers.doorcode, spread, short ? OPEN_MS / 4 : OPEN_MS)
    const memory = memoryOf(servers.doorcode.samples)
    await Promise.all(SUBJECTS.map((subject) => servers[subject].stop()))
    const operated = await asOperated({ databaseUrl: database.url, shops: spread, provider, short, profile })
    return [
      ...ratios(`${SHOPS} workspaces`, many),
      ...ratios('1 workspace (one hot quota row)', one),
      { part: PART, what: `open loop ${perSecond(OPEN_RATE)}: p50`, figure: ms(steady.p50) },
      {
        part: PART,
        what: `open loop ${perSecond(OPEN_RATE)}: p99`,
        figure: ms(steady.p99),
        goal: atMost(steady.p99, 50, ' ms'),
      },
      { part: PART, what: 'peak memory of the server', figure: megabytes(memory.highest) },
      ...operated,
    ] satisfies Figure[]
  } finally {
    await Promise.all(SUBJECTS.map((subject) => servers[subject].stop()))
    await database.drop()
  }
}

type Servers = Record<Subject, ServerProcess>
/** Requests a second, and CPU time of the server and PostgreSQL per request. */
type Round = { rate: number; serverMs: number; postgresMs: number }
/** `over…`: Doorcode's rate divided by theirs, median of the rounds. */
type Compared = Record<Subject, Round> & { overFloor: number; overNarrow: number; overPlain: number }

async function startAll(databaseUrl: string, profile: string | undefined): Promise<Servers> {
  const start = (subject: Subject): Promise<ServerProcess> =>
    startServer({ subject, databaseUrl, works: false, profile })
  return {
    doorcode: await start('doorcode'),
    floor: await start('floor'),
    narrow: await start('narrow'),
    plain: await start('plain'),
  }
}

type CompareOptions = { postgres: BenchPostgres; rounds: number; say: (line: string) => void }

/**
 * Alternates every few seconds, so that other load on the machine affects all subjects equally. The median of the
 * rounds' ratios counts, since a median of rates could compare a busy moment with a quiet one.
 */
async function compare(
  servers: Servers,
  shops: readonly Shop[],
  { postgres, rounds, say }: CompareOptions,
): Promise<Compared> {
  const taken: Record<Subject, Round[]> = { doorcode: [], floor: [], narrow: [], plain: [] }
  const of = (subject: Subject): SaturateOptions => ({ server: servers[subject], shops, postgres })
  for (const subject of SUBJECTS) await saturate(of(subject), WARM_UP_MS)
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of SUBJECTS) taken[subject].push(await saturate(of(subject), ROUND_MS))
    say(`round ${round}: ${SUBJECTS.map((subject) => `${subject} ${described(taken[subject].at(-1))}`).join(', ')}`)
  }
  const { doorcode, floor, narrow, plain } = taken
  const over = (others: readonly Round[]): number =>
    median(doorcode.map(({ rate }, round) => rate / (others[round]?.rate ?? Number.NaN)))
  return {
    doorcode: middle(doorcode),
    floor: middle(floor),
    narrow: middle(narrow),
    plain: middle(plain),
    overFloor: over(floor),
    overNarrow: over(narrow),
    overPlain: over(plain),
  }
}

const described = (round: Round | undefined): string =>
  round ? `${perSecond(round.rate)} (${microseconds(round.serverMs)} + ${microseconds(round.postgresMs)})` : ''

const microseconds = (milliseconds: number): string => `${count(milliseconds * 1000)} µs`

const middle = (rounds: readonly Round[]): Round => ({
  rate: median(rounds.map(({ rate }) => rate)),
  serverMs: median(rounds.map(({ serverMs }) => serverMs)),
  postgresMs: median(rounds.map(({ postgresMs }) => postgresMs)),
})

type SaturateOptions = { server: ServerProcess; shops: readonly Shop[]; postgres: BenchPostgres }

async function saturate({ server, shops, postgres }: SaturateOptions, ms: number): Promise<Round> {
  const client = openHttpClient({ port: server.port, connections: WORKERS })
  const requests = otpRequests(shops)
  const usage = async () => ({ server: (await server.now()).cpuMs, postgres: (await postgres.cpuMs()) ?? Number.NaN })
  try {
    const before = await usage()
    const { rate, answers } = await closedLoop(() => client.send(requests.next()), {
      workers: WORKERS,
      ms,
      expected: 202,
    })
    const after = await usage()
    return {
      rate,
      serverMs: (after.server - before.server) / answers,
      postgresMs: (after.postgres - before.postgres) / answers,
    }
  } finally {
    client.close()
  }
}

async function steadily({ port }: ServerProcess, shops: readonly Shop[], ms: number): Promise<Load> {
  const client = openHttpClient({ port, connections: WORKERS })
  const requests = otpRequests(shops)
  try {
    await openLoop(() => client.send(requests.next()), { rate: OPEN_RATE, ms: WARM_UP_MS, expected: 202 })
    return await openLoop(() => client.send(requests.next()), { rate: OPEN_RATE, ms, expected: 202 })
  } finally {
    client.close()
  }
}

type OperatedOptions = { databaseUrl: string; shops: readonly Shop[] } & Pick<
  PartOptions,
  'provider' | 'short' | 'profile'
>

/** `serve` with its defaults, which also sends what it accepts. An operator's load test would measure this. */
async function asOperated({ databaseUrl, shops, provider, short, profile }: OperatedOptions): Promise<Figure[]> {
  const server = await startServer({ subject: 'doorcode', databaseUrl, works: true, asOperated: true, profile })
  const client = openHttpClient({ port: server.port, connections: OPERATED_CONNECTIONS })
  const requests = otpRequests(shops)
  const load = (ms: number): Promise<Load> =>
    closedLoop(() => client.send(requests.next()), { workers: OPERATED_CONNECTIONS, ms, expected: 202 })
  let sent = 0
  try {
    await load(WARM_UP_MS)
    provider.onSend(() => (sent += 1))
    const began = performance.now()
    const { rate, p99 } = await load(short ? OPERATED_MS / 4 : OPERATED_MS)
    const sentRate = (sent * 1000) / (performance.now() - began)
    const where = `serve with its defaults, ${OPERATED_CONNECTIONS} connections, sending on`
    return [
      { part: PART, what: `${where}: accepted`, figure: perSecond(rate) },
      { part: PART, what: `${where}: accepted, p99`, figure: ms(p99) },
      { part: PART, what: `${where}: sent to the provider meanwhile`, figure: perSecond(sentRate) },
      { part: PART, what: `${where}: memory at most`, figure: megabytes(memoryOf(server.samples).highest) },
    ]
  } finally {
    provider.onSend(() => {})
    client.close()
    await server.stop()
  }
}

const FLOOR_SHARE = 0.5
const PLAIN_FACTOR = 2.5

const ratios = (
  where: string,
  { doorcode, floor, narrow, plain, overFloor, overNarrow, overPlain }: Compared,
): Figure[] => [
  figureOf(`${where}: Doorcode`, doorcode),
  figureOf(`${where}: bare group-committed insert of a message row`, floor),
  figureOf(`${where}: bare group-committed insert of a narrow row`, narrow),
  figureOf(`${where}: a transaction per request`, plain),
  {
    part: PART,
    what: `${where}: Doorcode ÷ bare insert of a message row`,
    figure: times(overFloor),
    goal: atLeast(overFloor, FLOOR_SHARE, ' ×'),
  },
  { part: PART, what: `${where}: Doorcode ÷ bare insert of a narrow row`, figure: times(overNarrow) },
  {
    part: PART,
    what: `${where}: Doorcode ÷ plain`,
    figure: times(overPlain),
    goal: atLeast(overPlain, PLAIN_FACTOR, ' ×'),
  },
]

/** Includes the CPU time per request, which other load on the machine affects less than the rate. */
const figureOf = (what: string, { rate, serverMs, postgresMs }: Round): Figure => ({
  part: PART,
  what,
  figure: `${perSecond(rate)}; ${microseconds(serverMs)} server + ${microseconds(postgresMs)} PostgreSQL each`,
})
