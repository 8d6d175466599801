import { type Figure, atLeast, atMost, count, median, megabytes, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { type Load, closedLoop, openLoop } from './load.ts'
import type { Part } from './part.ts'
import type { BenchPostgres } from './postgres.ts'
import { type ServerProcess, type Subject, memoryOf, startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests } from './shop.ts'

const PART = 'accept'
const KEYS = 1_000
const SHOPS = 100
/** Twice the largest group: one is gathered while one commits. With fewer the database waits for callers. */
const WORKERS = 512
const ROUND_MS = 3_000
const WARM_UP_MS = 3_000
const ROUNDS = 5
const OPEN_RATE = 1_000
const OPEN_MS = 20_000

const SUBJECTS = ['doorcode', 'floor', 'narrow', 'plain'] as const satisfies Subject[]

/** `POST /otp/messages` with every check and a durable commit, beside the least and the plainest way to do it. */
export const accept: Part = async ({ postgres, provider, short, profile, say }) => {
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
      { part: PART, what: 'memory of the server at the most', figure: megabytes(memory.highest) },
    ] satisfies Figure[]
  } finally {
    await Promise.all(SUBJECTS.map((subject) => servers[subject].stop()))
    await database.drop()
  }
}

type Servers = Record<Subject, ServerProcess>
/** Requests a second, and the processor time of the server and of PostgreSQL that each took. */
type Round = { rate: number; serverMs: number; postgresMs: number }
/** `over…`: how often Doorcode's rate is theirs, the median of the rounds. */
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
 * In turns of a few seconds, so that what else the machine does meets all of them alike. Each round has its ratios, and
 * the median of these counts: a median of rates could set a busy moment of one against a quiet one of another.
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

const FLOOR_SHARE = 0.5
const PLAIN_FACTOR = 2.5

const ratios = (
  where: string,
  { doorcode, floor, narrow, plain, overFloor, overNarrow, overPlain }: Compared,
): Figure[] => [
  told(`${where}: Doorcode`, doorcode),
  told(`${where}: bare group-committed insert of a message row`, floor),
  told(`${where}: bare group-committed insert of a narrow row`, narrow),
  told(`${where}: a transaction per request`, plain),
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

/** With the processor time that a request costs, which the rest of the machine's work bends less than the rate. */
const told = (what: string, { rate, serverMs, postgresMs }: Round): Figure => ({
  part: PART,
  what,
  figure: `${perSecond(rate)}; ${microseconds(serverMs)} server + ${microseconds(postgresMs)} PostgreSQL each`,
})
