import { confirmationRequests, openCodShops } from './cod-shop.ts'
import { type Figure, atLeast, megabytes, ms, times } from './figures.ts'
import type { BenchPart } from './part.ts'
import { ROUNDS, WORKERS, type Compared, compareInTurn, described, p99Of, ratio } from './saturate.ts'
import { type Subject, memoryOf, startServer } from './server-process.ts'

const PART = 'COD accept'
const KEYS = 1_000
const SHOPS = 100
const FLOOR_SHARE = 0.5
/** The floors of the part "accept" have one route, and take any body on it. */
const FLOOR_PATH = '/api/v1/otp/messages'

/** `POST /cod-confirmations` with every check and a durable commit, in turns with routes that only insert its rows, or one. */
export const codAccept: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_cod_accept'), (database) => database.drop())
  const { url: databaseUrl } = database
  const shops = await openCodShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS / SHOPS })
  const start = async (name: Exclude<Subject, 'plain'>, path?: string): Promise<Compared> => {
    const server = await startServer({ subject: name, databaseUrl, works: false, profile })
    opened.defer(() => server.stop())
    const requests = confirmationRequests(shops, path)
    return { name, postgres, server, next: () => requests().text, rounds: [] }
  }
  const doorcode = await start('doorcode')
  const floor = await start('confirmation-floor', FLOOR_PATH)
  const message = await start('floor', FLOOR_PATH)
  await compareInTurn([doorcode, floor, message], { rounds: short ? 2 : ROUNDS, say })
  const share = ratio(doorcode.rounds, floor.rounds)
  const where = `${SHOPS} workspaces`
  return [
    { part: PART, what: `${where}: Doorcode`, figure: described(doorcode.rounds) },
    { part: PART, what: `${where}: bare group-committed insert of the same two rows`, figure: described(floor.rounds) },
    { part: PART, what: `${where}: bare group-committed insert of a message row`, figure: described(message.rounds) },
    {
      part: PART,
      what: `${where}: Doorcode ÷ bare insert of the same two rows`,
      figure: times(share),
      goal: atLeast(share, FLOOR_SHARE, ' ×'),
    },
    {
      part: PART,
      what: `${where}: Doorcode ÷ bare insert of a message row`,
      figure: times(ratio(doorcode.rounds, message.rounds)),
    },
    { part: PART, what: `${WORKERS} clients at once: p99`, figure: ms(p99Of(doorcode.rounds)) },
    {
      part: PART,
      what: 'peak memory of the server',
      figure: megabytes(memoryOf(doorcode.server.samples).highest),
    },
  ] satisfies Figure[]
}
