import { openDb, statement, type Statement } from '../src/lib/db/pool.ts'
import { type Figure, atLeast, atMost, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { openLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { TEMPLATE } from './provider.ts'
import { ROUNDS, WORKERS, type Compared, compareInTurn, described, ratio, saturate } from './saturate.ts'
import { type Subject, startServer } from './server-process.ts'
import { type Shop, interleaved, openShops, post } from './shop.ts'

const PART = 'verification'
const KEYS = 1_000
const SHOPS = 100
const FLOOR_SHARE = 0.45
const CHECKS_A_SECOND = 5_000
const OPEN_RATE = 1_000
const OPEN_MS = 20_000
/** The floors have one route, and take any body on it. */
const FLOOR_PATH = '/api/v1/otp/messages'
const PATH = '/api/v1/otp/verifications'
/** Each verification is checked at most so often, so that none is locked. */
const CHECKS_EACH = 9

/** Starts verifications, in turns with a route that only inserts their rows, and then checks wrong codes of them. */
export const verification: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_verification'), (each) => each.drop())
  const { url: databaseUrl } = database
  const shops = await openShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: KEYS / SHOPS })
  const start = async (name: Subject, path: string): Promise<Compared> => {
    const server = await startServer({ subject: name, databaseUrl, works: false, profile })
    opened.defer(() => server.stop())
    return { name, postgres, server, next: startRequests(shops, path), rounds: [] }
  }
  const doorcode = await start('doorcode', PATH)
  const floor = await start('verification-floor', FLOOR_PATH)
  await compareInTurn([doorcode, floor], { rounds: short ? 2 : ROUNDS, say })
  const share = ratio(doorcode.rounds, floor.rounds)

  const { server } = doorcode
  const next = await checkRequests(databaseUrl, shops)
  const check = () => saturate({ postgres, server, next, expected: 200 })
  await check() // warm-up
  const checks = [await check()]
  const client = openHttpClient({ port: server.port, connections: WORKERS })
  opened.defer(() => client.close())
  const steadyMs = short ? OPEN_MS / 4 : OPEN_MS
  const steady = await openLoop(() => client.send(next()), { rate: OPEN_RATE, ms: steadyMs, expected: 200 })
  const rate = checks[0]?.rate ?? 0
  return [
    { part: PART, what: `${SHOPS} workspaces: started`, figure: described(doorcode.rounds) },
    {
      part: PART,
      what: `${SHOPS} workspaces: bare group-committed insert of the same two rows`,
      figure: described(floor.rounds),
    },
    { part: PART, what: 'started ÷ bare insert', figure: times(share), goal: atLeast(share, FLOOR_SHARE, ' ×') },
    {
      part: PART,
      what: 'checks of wrong codes',
      figure: described(checks),
      goal: atLeast(rate, CHECKS_A_SECOND, ' / s'),
    },
    {
      part: PART,
      what: `checks, open loop ${perSecond(OPEN_RATE)}: p99`,
      figure: ms(steady.p99),
      goal: atMost(steady.p99, 50, ' ms'),
    },
  ] satisfies Figure[]
}

/** Has no divisor in common with the number of recipients, and scatters them: many of one prefix would be pumping. */
const STRIDE = 61_803_399
const RECIPIENTS = 100_000_000

/** Requests of all shops and all their keys in turn, each with a recipient, an idempotency key and a reference of its own. */
function startRequests(shops: readonly Shop[], path: string): () => string {
  const clients = interleaved(shops)
  const run = Math.floor(Math.random() * 1e9).toString(36)
  let made = 0
  return () => {
    const client = clients[made % clients.length]
    if (!client) throw new Error('there is no key to ask with')
    made += 1
    const to = `+2126${String((made * STRIDE) % RECIPIENTS).padStart(8, '0')}`
    const body = `{"to":"${to}","senderId":"${client.senderId}","template":{"name":"${TEMPLATE.name}","language":"${TEMPLATE.language}"},"maxAttempts":10,"reference":"login-${made}"}`
    return post(path, body, `${client.head}idempotency-key: ${run}-${made}\r\n`)
  }
}

const MAX_CHECKED = 50_000

const newest: Statement<{ id: string; workspaceId: string }> = statement(
  'bench_list_verifications',
  `select id, workspace_id as "workspaceId" from otp_verifications
   where status = 'pending' and code_key is not null and length(code_key) > 40 order by id desc limit ${MAX_CHECKED}`,
)

/** A code of fewer digits is always wrong. */
async function checkRequests(databaseUrl: string, shops: readonly Shop[]): Promise<() => string> {
  const db = openDb({ url: databaseUrl, poolSize: 1 })
  const rows = await db.rows(newest)
  await db.close()
  const keysOf = new Map(shops.map(({ workspaceId, keys }) => [workspaceId, keys]))
  let made = 0
  return () => {
    const row = rows[made % rows.length]
    const keys = row && keysOf.get(row.workspaceId)
    if (!row || !keys) throw new Error('there is no verification to check')
    if (made >= rows.length * CHECKS_EACH) throw new Error('every verification was checked too often')
    const key = keys[Math.floor(made / SHOPS) % keys.length]
    made += 1
    return post(`${PATH}/${row.id}/check`, '{"code":"9999"}', `authorization: Bearer ${key}\r\n`)
  }
}
