import { openDb } from '../src/lib/db/pool.ts'
import { createPerson, hashPassword } from '../src/admin/auth/person.ts'
import { newId } from '../src/lib/ids.ts'
import { createCalls, fetchSessionCookie, PASSWORD } from '../test/world/dashboard.ts'
import { fillWorkspace } from '../test/database/many-rows.ts'
import { withConnection } from '../test/database/postgres.ts'
import { type Figure, atMost, count, ms, percentile } from './figures.ts'
import type { BenchPart } from './part.ts'
import { startServer } from './server-process.ts'
import { openShops } from './shop.ts'

const PART = 'lists'
const ROWS = 1_000_000
const ASKS = 60
/** Two concurrent users. */
const VIEWERS = 2
const GOAL_MS = 300
const DAY_MS = 86_400_000

type Calls = ReturnType<typeof createCalls>
type ListCall = (calls: Calls, of: Of) => Promise<unknown>
type Of = {
  workspaceId: string
  endpointId: string
  senderId: string
  n: number
  cursor: string
  from: string
  to: string
}

/** Every way in which the pages ask for a list; `n` is another one each time. */
const listCalls: Readonly<Record<string, ListCall>> = {
  'messages: newest': (calls, { workspaceId }) => calls.messages.list.query({ workspaceId }),
  'messages: a page in the middle': (calls, { workspaceId, cursor }) =>
    calls.messages.list.query({ workspaceId, cursor }),
  'messages: of a recipient': (calls, { workspaceId, n }) =>
    calls.messages.list.query({ workspaceId, text: `+2126${String(n).padStart(8, '0')}` }),
  'messages: of a recipient, failed, by days': (calls, { workspaceId, n, from, to }) =>
    calls.messages.list.query({ workspaceId, text: `+2126${String(n).padStart(8, '0')}`, status: 'failed', from, to }),
  'messages: by reference': (calls, { workspaceId, n }) =>
    calls.messages.list.query({ workspaceId, text: `login-${n}` }),
  'messages: by a text that nothing has': (calls, { workspaceId, n }) =>
    calls.messages.list.query({ workspaceId, text: `nothing-${n}` }),
  'messages: failed': (calls, { workspaceId }) => calls.messages.list.query({ workspaceId, status: 'failed' }),
  'messages: failed with a rare template': (calls, { workspaceId }) =>
    calls.messages.list.query({ workspaceId, status: 'failed', template: 'rare' }),
  'messages: a part of a recipient': (calls, { workspaceId, n }) =>
    calls.messages.list.query({ workspaceId, text: String(1_000_000 + n).slice(-6) }),
  'messages: a part of a reference': (calls, { workspaceId, n }) =>
    calls.messages.list.query({ workspaceId, text: `gin-${n}` }),
  'messages: a part that none has': (calls, { workspaceId }) =>
    calls.messages.list.query({ workspaceId, text: 'nowhere' }),
  'messages: a rare status': (calls, { workspaceId }) => calls.messages.list.query({ workspaceId, status: 'played' }),
  'messages: a status that none has': (calls, { workspaceId }) =>
    calls.messages.list.query({ workspaceId, status: 'sending' }),
  'messages: a rare template': (calls, { workspaceId }) => calls.messages.list.query({ workspaceId, template: 'rare' }),
  'messages: a sender, a kind and a status that none has': (calls, { workspaceId, senderId }) =>
    calls.messages.list.query({ workspaceId, senderId, kind: 'otp', status: 'queued' }),
  'messages: two days': (calls, { workspaceId, from, to }) => calls.messages.list.query({ workspaceId, from, to }),
  'messages: two days, a rare status': (calls, { workspaceId, from, to }) =>
    calls.messages.list.query({ workspaceId, from, to, status: 'played' }),
  'confirmations: newest': (calls, { workspaceId }) => calls.confirmations.list.query({ workspaceId }),
  'confirmations: a page in the middle': (calls, { workspaceId, cursor }) =>
    calls.confirmations.list.query({ workspaceId, cursor }),
  'confirmations: by recipient': (calls, { workspaceId, n }) =>
    calls.confirmations.list.query({ workspaceId, text: `+2127${String(n).padStart(8, '0')}` }),
  'confirmations: by reference': (calls, { workspaceId, n }) =>
    calls.confirmations.list.query({ workspaceId, text: `order-${n}` }),
  'confirmations: a part of a reference': (calls, { workspaceId, n }) =>
    calls.confirmations.list.query({ workspaceId, text: `der-${n}` }),
  'confirmations: a rare status': (calls, { workspaceId }) =>
    calls.confirmations.list.query({ workspaceId, status: 'failed' }),
  'confirmations: a status that none has': (calls, { workspaceId }) =>
    calls.confirmations.list.query({ workspaceId, status: 'rescheduling', refusal: 'denied' }),
  'confirmations: two days': (calls, { workspaceId, from, to }) =>
    calls.confirmations.list.query({ workspaceId, from, to }),
  'delivery log: newest': (calls, { workspaceId, endpointId }) =>
    calls.endpoints.deliveries.query({ workspaceId, endpointId }),
  'delivery log: failed': (calls, { workspaceId, endpointId }) =>
    calls.endpoints.deliveries.query({ workspaceId, endpointId, status: 'failed' }),
  'delivery log: a rare type': (calls, { workspaceId, endpointId }) =>
    calls.endpoints.deliveries.query({ workspaceId, endpointId, type: 'message.failed' }),
  'audit log: newest': (calls, { workspaceId }) => calls.auditLog.list.query({ workspaceId }),
  'audit log: a rare action': (calls, { workspaceId }) =>
    calls.auditLog.list.query({ workspaceId, action: 'key.revoked' }),
  'audit log: an action that none is': (calls, { workspaceId }) =>
    calls.auditLog.list.query({ workspaceId, action: 'key.renamed' }),
}

/** The lists of the dashboard over a million rows each, as its pages ask for them. */
export const lists: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  const rows = short ? ROWS / 4 : ROWS
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_lists'), (database) => database.drop())
  const [shop] = await openShops({ databaseUrl: database.url, graphUrl: provider.url, shops: 1, keysEach: 1 })
  if (!shop) throw new Error('there is no shop')
  const { workspaceId, senderId, accountId } = shop
  const endpointId = await addQuietEndpoint(database.url, workspaceId)
  const email = await addOwner(database.url)
  const began = performance.now()
  await fillWorkspace(database.url, { workspaceId, senderId, accountId, endpointId }, rows)
  say(`${count(rows)} rows of each kind in ${ms(performance.now() - began)}`)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: false, servesDashboard: true, profile }),
    (server) => server.stop(),
  )
  const url = `http://127.0.0.1:${server.port}`
  const calls = createCalls(url, await fetchSessionCookie(url, { email, password: PASSWORD }))
  const now = Date.now()
  const day = (ago: number): string => new Date(now - ago * DAY_MS).toISOString().slice(0, 10)
  const inTheMiddle = await calls.messages.list.query({ workspaceId, from: day(46), to: day(45) })
  const of = { workspaceId, senderId, endpointId, from: day(41), to: day(40), cursor: inTheMiddle.rows[0]?.id ?? '' }
  const figures: Figure[] = []
  for (const [what, ask] of Object.entries(listCalls)) {
    const times = await timesOf((n) => ask(calls, { ...of, n }), { asks: short ? ASKS / 4 : ASKS, rows })
    const p95 = percentile(times, 0.95)
    figures.push({
      part: PART,
      what: `${what}: p50, p95`,
      figure: `${ms(percentile(times, 0.5))}, ${ms(p95)}`,
      goal: atMost(p95, GOAL_MS, ' ms'),
    })
    say(`${what}: p95 ${ms(p95)}`)
  }
  return figures
}

/** The first answer counts like any other, as for real users. */
async function timesOf(
  ask: (n: number) => Promise<unknown>,
  { asks, rows }: { asks: number; rows: number },
): Promise<number[]> {
  const times: number[] = []
  const view = async (): Promise<void> => {
    while (times.length < asks) {
      const from = performance.now()
      await ask(1 + Math.floor(Math.random() * (rows / 10)))
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: VIEWERS }, view))
  return times
}

export async function addQuietEndpoint(databaseUrl: string, workspaceId: string): Promise<string> {
  const endpointId = newId()
  await withConnection(databaseUrl, (connection) =>
    connection.query(
      `insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at)
       values ($1, $2, 'https://shop.example/hooks', '\\x00', 'paused', now(), now())`,
      [endpointId, workspaceId],
    ),
  )
  return endpointId
}

export async function addOwner(databaseUrl: string): Promise<string> {
  const db = openDb({ url: databaseUrl, poolSize: 1 })
  try {
    const person = {
      email: 'owner@shop.example',
      name: 'Owner',
      passwordHash: await hashPassword(PASSWORD),
      at: new Date(),
    }
    const { userId } = await createPerson(db, person)
    await withConnection(databaseUrl, (connection) =>
      connection.query('insert into operators (user_id) values ($1)', [userId]),
    )
    return person.email
  } finally {
    await db.close()
  }
}
