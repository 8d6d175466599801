import { count, median, perSecond } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { closedLoop } from './load.ts'
import type { BenchPostgres } from './postgres.ts'
import type { ServerProcess } from './server-process.ts'

/** Twice the largest group: one group fills while another commits. With fewer, the database waits for clients. */
export const WORKERS = 512
export const ROUND_MS = 3_000
export const ROUNDS = 5

/** Requests a second, and CPU time of the server and PostgreSQL per request. */
export type Round = { rate: number; p99: number; serverMs: number; postgresMs: number }

export type SaturateOptions = {
  postgres: BenchPostgres
  server: ServerProcess
  /** The complete text of the next HTTP request. */
  next: () => string
  expected?: number
  ms?: number
  workers?: number
}

/** As many requests as the server answers. */
export async function saturate({
  postgres,
  server,
  next,
  expected = 202,
  ms = ROUND_MS,
  workers = WORKERS,
}: SaturateOptions): Promise<Round> {
  const client = openHttpClient({ port: server.port, connections: workers })
  const usage = async () => ({ server: (await server.now()).cpuMs, postgres: (await postgres.cpuMs()) ?? Number.NaN })
  try {
    const before = await usage()
    const { rate, p99, answers } = await closedLoop(() => client.send(next()), { workers, ms, expected })
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

const middle = (rounds: readonly Round[], of: keyof Round): number => median(rounds.map((round) => round[of]))

/** Includes the CPU time per request, which other load on the machine affects less than the rate. */
export const described = (rounds: readonly Round[]): string =>
  `${perSecond(middle(rounds, 'rate'))}; ${microseconds(middle(rounds, 'serverMs'))} server + ${microseconds(middle(rounds, 'postgresMs'))} PostgreSQL each`

export const p99Of = (rounds: readonly Round[]): number => middle(rounds, 'p99')

/** The median of the rounds' ratios, since a median of rates could compare a busy moment with a quiet one. */
export const ratio = (rounds: readonly Round[], others: readonly Round[]): number =>
  median(rounds.map(({ rate }, round) => rate / (others[round]?.rate ?? Number.NaN)))

const microseconds = (milliseconds: number): string => `${count(milliseconds * 1000)} µs`

export type Compared = SaturateOptions & { name: string; rounds: Round[] }

/** V8 takes about ten seconds to compile all of a request's way: a server that runs for days should not be judged by them. */
const WARM_UPS = 3

/** Alternates every few seconds, so that other load on the machine affects all subjects equally. */
export async function compareInTurn(
  subjects: readonly Compared[],
  { rounds, say }: { rounds: number; say: (line: string) => void },
): Promise<void> {
  for (const subject of subjects) for (let time = 0; time < WARM_UPS; time += 1) await saturate(subject)
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of subjects) subject.rounds.push(await saturate(subject))
    say(`round ${round}: ${subjects.map(({ name, rounds }) => `${name} ${described(rounds.slice(-1))}`).join(', ')}`)
  }
}
