import { type Figure, atLeast, atMost, megabytes, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { type Load, closedLoop, openLoop } from './load.ts'
import type { BenchPart, PartOptions } from './part.ts'
import { ROUNDS, WORKERS, type Compared, type Round, compareInTurn, described, ratio } from './saturate.ts'
import { type ServerProcess, memoryOf, startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests } from './shop.ts'

const PART = 'accept'
const KEYS = 1_000
const SHOPS = 100
const WARM_UP_MS = 3_000
const OPEN_RATE = 1_000
const OPEN_MS = 20_000
/** Twice its connections: more would wait in its pool, behind one locked row longer than a request may. */
const PLAIN_WORKERS = 20
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
    const compare = async (shops: readonly Shop[], where: string) => {
      const subjects = SUBJECTS.map((name): Compared => {
        const workers = name === 'plain' ? PLAIN_WORKERS : WORKERS
        return { name, postgres, server: servers[name], next: otpRequests(shops).next, workers, rounds: [] }
      })
      await compareInTurn(subjects, { rounds, say: (line) => say(`${where}, ${line}`) })
      return subjects.map(({ rounds }) => rounds)
    }
    const many = await compare(spread, `${SHOPS} workspaces`)
    const one = await compare(hot, '1 workspace')
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

function ratios(where: string, rounds: readonly Round[][]): Figure[] {
  const [doorcode = [], floor = [], narrow = [], plain = []] = rounds
  const [overFloor, overPlain] = [ratio(doorcode, floor), ratio(doorcode, plain)]
  return [
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
    { part: PART, what: `${where}: Doorcode ÷ bare insert of a narrow row`, figure: times(ratio(doorcode, narrow)) },
    {
      part: PART,
      what: `${where}: Doorcode ÷ plain`,
      figure: times(overPlain),
      goal: atLeast(overPlain, PLAIN_FACTOR, ' ×'),
    },
  ]
}

const figureOf = (what: string, rounds: readonly Round[]): Figure => ({ part: PART, what, figure: described(rounds) })
