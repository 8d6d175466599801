import { confirmationRequests, openCodShops } from './cod-shop.ts'
import { type Figure, atLeast, count, median, megabytes, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { closedLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { type Subject, memoryOf, startServer } from './server-process.ts'

const PART = 'COD accept'
const KEYS = 1_000
const SHOPS = 100
/** Twice the largest group: one group fills while another commits. With fewer, the database waits for clients. */
const WORKERS = 512
const ROUND_MS = 3_000
const ROUNDS = 5
const FLOOR_SHARE = 0.5
/** The floors of the part "accept" have one route, and take any body on it. */
const FLOOR_PATH = '/api/v1/otp/messages'

type Round = { rate: number; p99: number; serverMs: number; postgresMs: number }

/** `POST /cod-confirmations` with every check and a durable commit, in turns with routes that only insert its rows, or one. */
export const codAccept: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_cod_accept'), (database) => database.drop())
  const { url: databaseUrl } = database
  const shops = await openCodShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS / SHOPS })
  const start = async (subject: Exclude<Subject, 'plain'>, path?: string) => {
    const server = opened.adopt(await startServer({ subject, databaseUrl, works: false, profile }), (server) =>
      server.stop(),
    )
    return { subject, server, next: confirmationRequests(shops, path), rounds: [] as Round[] }
  }
  const doorcode = await start('doorcode')
  const floor = await start('confirmation-floor', FLOOR_PATH)
  const message = await start('floor', FLOOR_PATH)
  const subjects = [doorcode, floor, message]

  const saturate = async ({ server, next }: typeof doorcode): Promise<Round> => {
    const client = openHttpClient({ port: server.port, connections: WORKERS })
    const usage = async () => ({ server: (await server.now()).cpuMs, postgres: (await postgres.cpuMs()) ?? Number.NaN })
    try {
      const before = await usage()
      const load = { workers: WORKERS, ms: ROUND_MS, expected: 202 }
      const { rate, p99, answers } = await closedLoop(() => client.send(next().text), load)
      const after = await usage()
      return {
        rate,
        p99,
        serverMs: (after.server - before.server) / answers,
        postgresMs: (after.postgres - before.postgres) / answers,
      }
    } finally {
      client.close()
    }
  }

  for (const subject of subjects) await saturate(subject) // warm-up
  for (let round = 1; round <= (short ? 2 : ROUNDS); round += 1) {
    for (const subject of subjects) subject.rounds.push(await saturate(subject))
    const rates = subjects.map(({ subject, rounds }) => `${subject} ${perSecond(rounds.at(-1)?.rate ?? 0)}`)
    say(`round ${round}: ${rates.join(', ')}`)
  }
  const over = (other: readonly Round[]): number =>
    median(doorcode.rounds.map(({ rate }, round) => rate / (other[round]?.rate ?? Number.NaN)))
  const share = over(floor.rounds)
  const where = `${SHOPS} workspaces`
  return [
    { part: PART, what: `${where}: Doorcode`, figure: figureOf(doorcode.rounds) },
    { part: PART, what: `${where}: bare group-committed insert of the same two rows`, figure: figureOf(floor.rounds) },
    { part: PART, what: `${where}: bare group-committed insert of a message row`, figure: figureOf(message.rounds) },
    {
      part: PART,
      what: `${where}: Doorcode ÷ bare insert of the same two rows`,
      figure: times(share),
      goal: atLeast(share, FLOOR_SHARE, ' ×'),
    },
    { part: PART, what: `${where}: Doorcode ÷ bare insert of a message row`, figure: times(over(message.rounds)) },
    { part: PART, what: `${WORKERS} clients at once: p99`, figure: ms(middle(doorcode.rounds, 'p99')) },
    {
      part: PART,
      what: 'peak memory of the server',
      figure: megabytes(memoryOf(doorcode.server.samples).highest),
    },
  ] satisfies Figure[]
}

const middle = (rounds: readonly Round[], of: keyof Round): number => median(rounds.map((round) => round[of]))

const figureOf = (rounds: readonly Round[]): string =>
  `${perSecond(middle(rounds, 'rate'))}; ${microseconds(middle(rounds, 'serverMs'))} server + ${microseconds(middle(rounds, 'postgresMs'))} PostgreSQL each`

const microseconds = (milliseconds: number): string => `${count(milliseconds * 1000)} µs`
