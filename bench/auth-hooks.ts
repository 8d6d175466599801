import { createHmac } from 'node:crypto'
import { systemClock } from '../src/lib/clock.ts'
import { withConnection } from '../test/database/postgres.ts'
import { addHook } from '../src/otp/hooks/hooks.ts'
import { type Figure, atLeast, atMost, ms, perSecond, times } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { openLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { TEMPLATE } from './provider.ts'
import { ROUNDS, WORKERS, type Compared, compareInTurn, described, ratio } from './saturate.ts'
import { type Subject, startServer } from './server-process.ts'
import { type Shop, openShops, otpRequests, post, setupParts } from './shop.ts'

const PART = 'auth hooks'
const SHOPS = 100
/** In turn, so that no hook comes near its rate limit of 20 a second. */
const HOOKS_EACH = 5
const FLOOR_SHARE = 0.45
const OPEN_RATE = 1_000
const OPEN_MS = 20_000

/** Codes that Supabase signs, in turns with a route that only inserts their rows. */
export const authHooks: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_auth_hooks'), (each) => each.drop())
  const { url: databaseUrl } = database
  const shops = await openShops({ databaseUrl, graphUrl: provider.url, shops: SHOPS, keysEach: HOOKS_EACH })
  const start = async (name: Subject, expected: number, next: () => string): Promise<Compared> => {
    const server = await startServer({ subject: name, databaseUrl, works: false, profile })
    opened.defer(() => server.stop())
    return { name, postgres, server, next, expected, rounds: [] }
  }
  const doorcode = await start('doorcode', 200, hookRequests(await addHooks(databaseUrl, shops)))
  const floor = await start('hook-floor', 202, otpRequests(shops).next)
  await compareInTurn([doorcode, floor], { rounds: short ? 2 : ROUNDS, say })
  const share = ratio(doorcode.rounds, floor.rounds)
  const client = openHttpClient({ port: doorcode.server.port, connections: WORKERS })
  opened.defer(() => client.close())
  const steadyMs = short ? OPEN_MS / 4 : OPEN_MS
  const before = await countMessages(databaseUrl)
  const steady = await openLoop(() => client.send(doorcode.next()), { rate: OPEN_RATE, ms: steadyMs, expected: 200 })
  // What is rejected is answered 200 too, as Supabase needs it.
  const stored = (await countMessages(databaseUrl)) - before
  if (stored !== steady.answers) throw new Error(`of ${steady.answers} codes ${stored} were accepted`)
  return [
    { part: PART, what: `${SHOPS} workspaces: accepted`, figure: described(doorcode.rounds) },
    { part: PART, what: 'bare group-committed insert of the same row', figure: described(floor.rounds) },
    { part: PART, what: 'accepted ÷ bare insert', figure: times(share), goal: atLeast(share, FLOOR_SHARE, ' ×') },
    {
      part: PART,
      what: `open loop ${perSecond(OPEN_RATE)}: p99`,
      figure: ms(steady.p99),
      goal: atMost(steady.p99, 50, ' ms'),
    },
  ] satisfies Figure[]
}

const countMessages = (databaseUrl: string): Promise<number> =>
  withConnection(databaseUrl, async (connection) => {
    const { rows } = await connection.query<{ number: number }>('select count(*)::int as number from messages')
    return rows[0]?.number ?? 0
  })

type HookAddress = { path: string; key: Buffer }

async function addHooks(databaseUrl: string, shops: readonly Shop[]): Promise<HookAddress[]> {
  const parts = await setupParts(databaseUrl)
  try {
    const added: HookAddress[] = []
    for (let number = 0; number < HOOKS_EACH; number += 1)
      for (const { workspaceId, senderId } of shops) {
        const settings = { name: 'Supabase', senderId, templates: [TEMPLATE], pointers: null }
        const { hookId, secret } = await parts.db.transaction((tx) =>
          addHook(tx, { clock: systemClock, seal: parts.seal }, { workspaceId, kind: 'supabase', ...settings }),
        )
        added.push({ path: `/hooks/${hookId}`, key: Buffer.from((secret ?? '').replace('v1,whsec_', ''), 'base64') })
      }
    return added
  } finally {
    await parts.close()
  }
}

/** Requests to all hooks in turn, each with a code for another recipient. */
function hookRequests(hooks: readonly HookAddress[]): () => string {
  let made = 0
  return () => {
    const hook = hooks[made % hooks.length]
    if (!hook) throw new Error('there is no hook to call')
    made += 1
    const [id, time] = [`msg_${made}`, Math.floor(Date.now() / 1000)]
    const phone = `2126${String(made % 100_000_000).padStart(8, '0')}`
    const body = `{"metadata":{"name":"send-sms"},"user":{"id":"${id}","phone":"${phone}","user_metadata":{}},"sms":{"otp":"493817","phone":"${phone}"}}`
    const signature = createHmac('sha256', hook.key).update(`${id}.${time}.${body}`).digest('base64')
    const headers = `webhook-id: ${id}\r\nwebhook-timestamp: ${time}\r\nwebhook-signature: v1,${signature}\r\n`
    return post(hook.path, body, headers)
  }
}
