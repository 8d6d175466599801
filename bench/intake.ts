import { setTimeout as wait } from 'node:timers/promises'
import { withConnection } from '../test/database/postgres.ts'
import { type Figure, atLeast, atMost, megabytes, ms, perSecond } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { closedLoop, openLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { TEMPLATE } from './provider.ts'
import { memoryOf, startServer } from './server-process.ts'
import { type Shop, TIME_OF_IDS, openShops } from './shop.ts'
import { type Status, statusWebhook } from './provider-webhooks.ts'

const PART = 'provider webhooks'
const SHOPS = 10
/** Each gets a sent, a delivered and a read status: more than all runs together post. */
const MESSAGES_EACH = 30_000
const WORKERS = 64
const WARM_UP_MS = 2_000
const SATURATED_MS = 8_000
const STEADY_MS = 10_000
const STEADY_RATE = 3_000
/** The forms that the provider uses: one status per POST, and several. */
const STATUSES_PER_POST = [1, 10]
const BACKLOG_MS = 120_000

/** Signed status webhooks of messages that exist, each stored before its 200, with the workers processing them meanwhile. */
export const intake: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  const database = await postgres.database('bench_intake')
  const shops = await openShops({ databaseUrl: database.url, graphUrl: provider.url, shops: SHOPS, keysEach: 1 })
  await insertMessages(database.url, shops)
  const server = await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, profile })
  const client = openHttpClient({ port: server.port, connections: WORKERS })
  const next = statusesOf(shops)
  const figures: Figure[] = []
  try {
    for (const each of STATUSES_PER_POST) {
      const send = (): Promise<number> => client.send(next(each))
      const time = (full: number): number => (short ? full / 4 : full)
      await closedLoop(send, { workers: WORKERS, ms: WARM_UP_MS, expected: 200 })
      await untilProcessed(database.url)
      const saturated = await closedLoop(send, { workers: WORKERS, ms: time(SATURATED_MS), expected: 200 })
      const ended = performance.now()
      const left = await untilProcessed(database.url)
      const drainMs = performance.now() - ended
      say(`${each} per POST: ${perSecond(saturated.rate * each)}, then ${left} left, processed in ${ms(drainMs)}`)
      const steady = await openLoop(send, { rate: STEADY_RATE / each, ms: time(STEADY_MS), expected: 200 })
      const behind = await untilProcessed(database.url)
      const form = `${each} per POST`
      const rate = saturated.rate * each
      figures.push(
        {
          part: PART,
          what: `${form}, saturated: statuses`,
          figure: perSecond(rate),
          goal: atLeast(rate, STEADY_RATE, '/s'),
        },
        { part: PART, what: `${form}, saturated: p99`, figure: ms(saturated.p99) },
        { part: PART, what: `${form}, saturated: still to be processed at the end`, figure: String(left) },
        { part: PART, what: `${form}, open loop ${perSecond(STEADY_RATE)}: p50`, figure: ms(steady.p50) },
        {
          part: PART,
          what: `${form}, open loop ${perSecond(STEADY_RATE)}: p99`,
          figure: ms(steady.p99),
          goal: atMost(steady.p99, 100, ' ms'),
        },
        {
          part: PART,
          what: `${form}, open loop ${perSecond(STEADY_RATE)}: still to be processed at the end`,
          figure: String(behind),
        },
      )
    }
    const memory = memoryOf(server.samples)
    return [...figures, { part: PART, what: 'peak memory of the server', figure: megabytes(memory.highest) }]
  } finally {
    client.close()
    await server.stop()
    await database.drop()
  }
}

/** Inserts messages that the provider has accepted, as the submit loop leaves them. */
async function insertMessages(databaseUrl: string, shops: readonly Shop[]): Promise<void> {
  await withConnection(databaseUrl, async (connection) => {
    for (const [index, shop] of shops.entries()) {
      await connection.query(
        `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
           api_key_id, quota_unit, created_at, status, priority, submit_by, attempts, provider_message_id, accepted_at)
         select ($7 || lpad(n::text, 12, '0'))::uuid, $1, 'otp', $2, '+21261' || lpad(n::text, 7, '0'), $3, $4, gen_random_uuid(),
           'bench', n, now(), 'sending', 0, now() + interval '10 minutes', 1, 'wamid.' || $5::int || '.' || n, now()
         from generate_series(1, $6::int) n`,
        [shop.workspaceId, shop.senderId, TEMPLATE.name, TEMPLATE.language, index, MESSAGES_EACH, idPrefix(index)],
      )
    }
    await connection.query('vacuum analyze')
  })
}

/** Ids rise in the order of their messages, like the application's. */
const idPrefix = (index: number): string => `${TIME_OF_IDS}-7cc3-8${String(index).padStart(3, '0')}-`

const OUTCOMES = ['sent', 'delivered', 'read'] as const
/** Messages in progress at the same time: the next outcome of one follows after an outcome of each other. */
const CONCURRENT_MESSAGES = 500

/** The next webhook of the next shop. A shop's messages go through their outcomes in blocks. */
function statusesOf(shops: readonly Shop[]): (each: number) => string {
  const made = shops.map(() => 0)
  let turn = 0
  return (each) => {
    const index = turn % shops.length
    turn += 1
    const shop = shops[index]
    if (!shop) throw new Error('there is no shop')
    const statuses = Array.from({ length: each }, (): Status => {
      const number = made[index] ?? 0
      made[index] = number + 1
      const block = Math.floor(number / (CONCURRENT_MESSAGES * OUTCOMES.length))
      const within = number % (CONCURRENT_MESSAGES * OUTCOMES.length)
      const message = block * CONCURRENT_MESSAGES + (within % CONCURRENT_MESSAGES) + 1
      if (message > MESSAGES_EACH) throw new Error('all messages have had all their statuses: insert more')
      return {
        providerMessageId: `wamid.${index}.${message}`,
        outcome: OUTCOMES[Math.floor(within / CONCURRENT_MESSAGES)] ?? 'sent',
        recipient: `+21261${String(message).padStart(7, '0')}`,
        callbackData: `otp:${idPrefix(index)}${String(message).padStart(12, '0')}`,
      }
    })
    return statusWebhook(shop, statuses)
  }
}

/** Waits for the workers and returns how much they had to do when it began. */
async function untilProcessed(databaseUrl: string): Promise<number> {
  return withConnection(databaseUrl, async (connection) => {
    const deadline = performance.now() + BACKLOG_MS
    let first: number | undefined
    for (;;) {
      const answer = await connection.query<{ due: number }>(
        'select count(*)::int as due from provider_reports where due_at is not null',
      )
      const due = answer.rows[0]?.due ?? 0
      first ??= due
      if (due === 0) return first
      if (performance.now() > deadline) throw new Error(`${due} reports are not processed`)
      await wait(50)
    }
  })
}
