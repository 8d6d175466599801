import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { escapeLiteral } from 'pg'
import { DAY_MS, later } from '../../src/lib/clock.ts'
import { type Statement, type Value, sqlState } from '../../src/lib/db/pool.ts'
import { correctMessageTimes, correctReportTimes } from '../../src/messages/correct-times.ts'
import { examine } from '../../src/operations/doctor/examine.ts'
import { findSetupProblemsOf } from '../../src/operations/doctor/setup.ts'
import { createFiguresReader } from '../../src/operations/monitoring/figures.ts'
import { FIRST_ID } from '../../src/lib/ids.ts'
import { RESEND_INTERVAL_MS } from '../../src/otp/verifications/limits.ts'
import { readConversations } from '../../src/operations/verify/conversation-facts.ts'
import { checkMessages } from '../../src/operations/verify/messages.ts'
import { correctDeliveryTimes } from '../../src/webhooks/delivery/claim.ts'
import { type Call, spyOnDb } from '../database/db-spy.ts'
import { forgetStatistics, withConnection } from '../database/postgres.ts'
import { wrongCode } from '../world/verifications.ts'
import { type World, startWorld } from '../world/world.ts'

type Plan = {
  'Node Type': string
  'Total Cost': number
  'Relation Name'?: string
  Plans?: Plan[]
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}

type Explained = { 'QUERY PLAN': [{ Plan: Plan }] }

/** Tables that grow with every message or order. */
const GROWING = [
  'messages',
  'message_attempts',
  'otp_verifications',
  'provider_reports',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'confirmations',
  'refusal_checks',
  'cod_answers',
]
const WAITING = 20_000
/** An index lookup reads 3 or 4 blocks here; the rest is for the rows of a journey, the dead ones too. A table has over 1,000. */
const MAX_BLOCKS = 100
/**
 * For an id PostgreSQL can also read an index whose first column has no condition. Planned for a few rows this costs nothing; later
 * it reads the 270 blocks of 20,000 orders, twice in one statement, until the table is analyzed within a minute or so.
 */
const MAX_BLOCKS_OF_SMALL = 600

/** Statements that read an index entry of each endpoint, once a minute and for /metrics. */
const READ_EVERY_ENDPOINT = new Set(['find_oldest_due_delivery', 'count_due_deliveries', 'correct_delivery_times'])
/** The rows of the endpoints themselves. */
const BLOCKS_OF_ENDPOINTS = 1_000

const maxBlocksOf = ({ name }: Statement<unknown>, others = MAX_BLOCKS): number =>
  READ_EVERY_ENDPOINT.has(name) ? 2 * WAITING + BLOCKS_OF_ENDPOINTS : others

test('with 20,000 future rows and many other workspaces no statement reads more than a few pages', async (t) => {
  const calls = new Map<string, Call>()
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, (call) => {
        calls.set(call.statement.name, call)
        return call.run()
      }),
  })
  await withOldTransaction(t, world)
  await world.receiver()
  await world.codSettings()
  await walk(world)
  const { scans } = await planAll(t, world, [...calls.values()])
  assert.deepEqual(scans, [], 'before any analyze')
  // the planner's worst case: it knows that the tables are small, and its plans stay while they grow
  await withConnection(world.databaseUrl, (connection) => connection.query('analyze'))
  const small = await planAll(t, world, [...calls.values()])
  assert.deepEqual(small.scans, [], 'for small tables')
  await fillWithFutureWork(world)
  await walk(world)

  const journey = [...calls.values()].filter(({ statement }) => GROWING.some((table) => statement.text.includes(table)))
  assert.ok(journey.length >= 25, 'the journey runs the statements of acceptance, submission, reports and delivery')
  const now = await planAll(t, world, journey)
  const faults: string[] = []
  for (const { statement, values } of journey) {
    const plans = [
      { made: 'for these values', plan: await explain(world, statement, values), maxBlocks: MAX_BLOCKS },
      { made: 'for all values', plan: await now.explain(statement, values), maxBlocks: MAX_BLOCKS },
      { made: 'for small tables', plan: await small.explain(statement, values), maxBlocks: MAX_BLOCKS_OF_SMALL },
    ]
    for (const { made, plan, maxBlocks } of plans) {
      const read = scansOf(plan).filter((table) => GROWING.includes(table))
      if (read.length > 0) faults.push(`${statement.name}, made ${made}: reads all of ${read.join(', ')}`)
      const max = maxBlocksOf(statement, maxBlocks)
      if (blocksOf(plan) > max) faults.push(`${statement.name}, made ${made}: reads ${blocksOf(plan)} blocks`)
    }
  }
  assert.deepEqual(faults, [])

  await forgetStatistics(world.databaseUrl)
  const blind = await planAll(t, world, journey)
  const blindFaults = [...blind.scans]
  for (const { statement, values } of journey) {
    const read = blocksOf(await blind.explain(statement, values))
    if (read > maxBlocksOf(statement)) blindFaults.push(`${statement.name}: reads ${read} blocks`)
  }
  assert.deepEqual(blindFaults, [], 'without statistics')
})

const pageOf = ({ workspaceId, parts: { provider } }: World) => ({ workspaceId, provider, after: FIRST_ID, limit: 1 })

/** Every statement of acceptance, submission, reports, delivery, the examination of the instance, its figures, and what "explain" and "verify" share. */
async function walk(world: World): Promise<void> {
  const key = () => ({ headers: { 'idempotency-key': randomUUID() } })
  const otp = await world.sendOtp({}, key())
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const failing = await world.sendOtp()
  await world.whatsapp.reports(failing, [{ status: 'failed', errors: [131026] }])
  await world.getOtp(otp)
  await world.submitOtp({ deliverWithinSeconds: 10 })
  await world.after('11s')
  const [event] = await world.query<{ id: string }>('select id from events where workspace_id = $1 limit 1', [
    world.workspaceId,
  ])
  for (const after of ['latest', event?.id]) await world.request('GET', `/api/v1/events?limit=1&after=${after}`)
  await walkThroughVerification(world, key)
  await walkThroughConversation(world, key)
  await examine(world.parts, { outside: false })
  await findSetupProblemsOf(
    world.parts.db,
    { ...world, name: 'shop' },
    { seal: world.parts.seal, now: world.clock.now() },
  )
  await createFiguresReader(world.parts, world.parts.db)()
  // as if the clock had not been ahead: nothing is later than it may be
  const now = later(world.clock.now(), 1_000 * DAY_MS)
  for (const correct of [correctMessageTimes, correctReportTimes, correctDeliveryTimes])
    await correct(world.parts.db, now, 1)
  await checkMessages(world.parts.db, pageOf(world))
}

/** Every statement of verifications: started, checked, sent again, approved; another one expires later. */
async function walkThroughVerification(world: World, key: () => { headers: Record<string, string> }): Promise<void> {
  const started = await world.startVerification({ deliverWithinSeconds: 600 }, key())
  await world.startVerification()
  const code = await world.codeOn(started)
  await world.check(started, wrongCode(code))
  await world.getVerification(started)
  await world.settled() // or the clock would interrupt what is being sent
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  await world.resend(started, key())
  await world.check(started, code)
  await world.settled()
}

/** Every statement of confirmations and refusal checks: asked, reminded, rescheduled, refused, expired. */
async function walkThroughConversation(world: World, key: () => { headers: Record<string, string> }): Promise<void> {
  const order = await world.askToConfirm({}, key())
  await world.after('121m')
  const ana = world.customer(order)
  await ana.taps('Change time')
  await ana.taps(0)
  await ana.types('Evening')
  await world.askAboutRefusal(order, {}, key())
  await ana.taps('Yes')
  await world.after('24h')
  const { refusalCheck } = await world.getConfirmation(order)
  assert.equal(refusalCheck?.status, 'refusal_confirmed')
  await readConversations(world.parts.db, pageOf(world))
}

async function fillWithFutureWork({ databaseUrl, workspaceId, senderId, account }: World): Promise<void> {
  await withConnection(databaseUrl, async (connection) => {
    await connection.query('set session_replication_role = replica') // foreign keys hold by construction
    await connection.query(FUTURE_MESSAGES, [workspaceId, senderId, WAITING])
    await connection.query(AWAITED_MESSAGES, [workspaceId, senderId, WAITING])
    await connection.query(FUTURE_VERIFICATIONS, [workspaceId])
    await connection.query(FUTURE_REPORTS, [workspaceId, account.accountId, WAITING])
    await connection.query(FUTURE_DELIVERIES, [workspaceId, WAITING])
    await connection.query(OLD_EVENTS, [workspaceId])
    await connection.query(ARMED_CONFIRMATIONS, [workspaceId, senderId, WAITING])
    await connection.query(ARMED_REFUSAL_CHECKS, [workspaceId])
    await connection.query(OLD_ANSWERS, [workspaceId])
    for (const table of WORKSPACE_TABLES) await connection.query(insertForOtherWorkspaces(table), [WAITING])
  })
}

const FUTURE = `now() + interval '30 days'`
const FUTURE_MESSAGES = `
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
    api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
  select gen_random_uuid(), $1, 'otp', $2, '+212600000000', 'login_code', 'en_US', gen_random_uuid(), 'key', n, now(),
    'queued', 0, ${FUTURE}, ${FUTURE} from generate_series(1, $3::int) n`
/** Sent, and awaiting their delivery. */
const AWAITED_MESSAGES = `
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
    api_key_id, quota_unit, created_at, status, priority, submit_by, provider_message_id, deliver_within_seconds, deliver_by)
  select gen_random_uuid(), $1, 'otp', $2, '+212600000000', 'login_code', 'en_US', gen_random_uuid(), 'key', n, now(),
    'sent', 0, now(), 'wamid.' || repeat('0', 50) || n, 10, ${FUTURE} from generate_series(1, 4 * $3::int) n`
/** All of one recipient and one prefix. */
const FUTURE_VERIFICATIONS = `
  insert into otp_verifications (id, workspace_id, recipient, prefix_number, code_length, ttl_seconds, max_attempts, created_at,
    expires_at, status, code_key, code_hash, sent_at, due_at)
  select id, $1, recipient, row_number() over (), 6, 600, 5, now(), ${FUTURE}, 'pending', '', '', array[now()], ${FUTURE}
  from messages where workspace_id = $1 and due_at > now() + interval '29 days'`
const FUTURE_REPORTS = `
  insert into provider_reports (id, workspace_id, account_id, kind, body, provider_message_id, received_at, due_at, outcome)
  select gen_random_uuid(), $1, $2, 'status', '{}', 'wamid.' || n, now(), ${FUTURE}, 'parked'
  from generate_series(1, $3::int) n`
const FUTURE_DELIVERIES = `
  with event as (
    insert into events (id, workspace_id, type, occurred_at, recorded_at, body, recorded_order)
    select gen_random_uuid(), $1, 'ping', now(), now(), '{}', 0 from generate_series(1, $2::int) returning id)
  insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, created_at)
  select gen_random_uuid(), $1, event.id, endpoint.id, 'pending', ${FUTURE}, now()
  from event, webhook_endpoints endpoint where endpoint.workspace_id = $1`

const OLD_EVENTS = `
  insert into events (id, workspace_id, type, message_id, occurred_at, recorded_at, body, recorded_order)
  select gen_random_uuid(), $1, 'message.sent', id, now(), now(), '{}', 0
  from messages where workspace_id = $1 and provider_message_id is not null`

/** Half of them belong to one customer, whose messages no statement may scan. */
const ARMED_CONFIRMATIONS = `
  insert into confirmations (id, workspace_id, sender_id, recipient, customer_user_id, template_name, template_language,
    parameters, reference, correlation_id, api_key_id, quota_unit, created_at, status, reminder_at, deadline_at)
  select gen_random_uuid(), $1, $2, '+2126000' || (n % 2) * n, 'MA.' || (n % 2) * n, 'order_confirmation', 'en', '{}', 'r',
    gen_random_uuid(), 'key', n, now(), 'awaiting_answer', ${FUTURE}, ${FUTURE} from generate_series(1, $3::int) n`
const ARMED_REFUSAL_CHECKS = `
  insert into refusal_checks (confirmation_id, workspace_id, template_name, template_language, parameters,
    correlation_id, api_key_id, quota_unit, created_at, first_message_id, status, deadline_at)
  select id, $1, 'delivery_refusal', 'en', '{}', gen_random_uuid(), 'key', quota_unit, now(), gen_random_uuid(),
    'awaiting_answer', ${FUTURE} from confirmations where workspace_id = $1 and status = 'awaiting_answer' limit 10000`
const OLD_ANSWERS = `
  insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, answered_at)
  select gen_random_uuid(), $1, id, 'confirmation', 'confirmed', now() from confirmations where workspace_id = $1 limit 10000`

/** Tables with rows of every workspace. */
const WORKSPACE_TABLES = [
  'quotas',
  'quota_usage',
  'provider_accounts',
  'senders',
  'sender_pace',
  'templates',
  'cod_settings',
  'webhook_endpoints',
]
/** Copies of this workspace's rows. `n` makes PostgreSQL generate new ids for each copy. */
const insertForOtherWorkspaces = (table: string): string => `
  insert into ${table}
  select copy.* from (select own from ${table} own limit 2) as each (own) cross join generate_series(1, $1::int / 2) n
  cross join lateral jsonb_populate_record(own, jsonb_build_object('n', n, 'id', gen_random_uuid(), 'workspace_id', gen_random_uuid(),
    'account_id', gen_random_uuid(), 'sender_id', gen_random_uuid(), 'sync_due_at', 'infinity')) copy`

class Undo extends Error {}

/** Runs it again as the program would, with its connection's settings, and rolls back. */
async function explain(world: World, { name, text }: Statement<unknown>, values: readonly Value[]): Promise<Plan> {
  const options = /\binsert into\b/.test(text) ? 'format json' : 'analyze, buffers, format json'
  let plan: Plan | undefined
  await world.parts.db
    .transaction(async (tx) => {
      const explained = { name: `explain ${name}`, text: `explain (${options}) ${text}` }
      const [row] = await tx.rows<Explained>(explained, values)
      plan = row?.['QUERY PLAN'][0].Plan
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  assert.ok(plan)
  return plan
}

type Planned = {
  /** `statement: tables` of each plan that read all of a growing table when it was made. */
  scans: readonly string[]
  explain(statement: Statement<unknown>, values: readonly Value[]): Promise<Plan | undefined>
}

/** PostgreSQL keeps dead rows while a transaction is open anywhere. Other tests have some at times, this one always has. */
async function withOldTransaction(t: TestContext, world: World): Promise<void> {
  const connection = await world.parts.db.connect()
  t.after(() => connection.end())
  await connection.query('begin isolation level repeatable read')
  await connection.query('select pg_current_xact_id()')
}

/** Generic plans as a connection caches them: made now, kept while the tables grow. */
async function planAll(t: TestContext, world: World, calls: readonly Call[]): Promise<Planned> {
  const connection = await world.parts.db.connect()
  t.after(() => connection.end())
  await connection.query('set plan_cache_mode = force_generic_plan')
  const kept = new Set<string>()
  const scans: string[] = []
  for (const { statement, values } of calls) {
    await connection.query(`prepare "${statement.name}" as ${statement.text}`)
    const { rows } = await connection.query<Explained>(`explain (format json) ${executed(statement, values)}`)
    const scanned = scansOf(rows[0]?.['QUERY PLAN'][0].Plan).filter((table) => GROWING.includes(table))
    if (scanned.length > 0) scans.push(`${statement.name}: ${scanned.join(', ')}`)
    kept.add(statement.name)
  }
  return {
    scans,
    async explain(statement, values) {
      assert.ok(kept.has(statement.name), `${statement.name} ran in the first journey too`)
      await connection.query('begin')
      try {
        const explained = `explain (analyze, buffers, format json) ${executed(statement, values.map(withNewIds))}`
        const { rows } = await connection.query<Explained>(explained)
        return rows[0]?.['QUERY PLAN'][0].Plan
      } catch (error) {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error
        return undefined // a row is inserted only once
      } finally {
        await connection.query('rollback')
      }
    },
  }
}

/** Gives accepted requests new ids and keys: any index finds an existing key immediately, so a bad plan would not show. */
const withNewIds = (value: Value): Value =>
  typeof value === 'string' && value.includes('"requests"')
    ? value.replaceAll(/"(id|message_id|key)":"[^"]*"/g, (_, name: string) => `"${name}":"${randomUUID()}"`)
    : value

const UNIQUE_VIOLATION = '23505'

const executed = ({ name }: Statement<unknown>, values: readonly Value[]): string =>
  `execute "${name}"${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`

const literal = (value: Value): string =>
  value === null || value === undefined ? 'null' : escapeLiteral(textOf(value))

function textOf(value: Value): string {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map((each: Value) => JSON.stringify(textOf(each))).join()}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Does not count what a write itself touches (an update changes one page, and every index too if that page is full), nor what a
 * scan of a common table expression reads: PostgreSQL also reports those blocks where it computes the expression.
 */
function blocksOf(plan: Plan | undefined): number {
  if (!plan) return 0
  const children = plan.Plans ?? []
  const own = NOT_COUNTED.includes(plan['Node Type'])
    ? 0
    : Math.max(0, touchedBy(plan) - sumOf(children.map(touchedBy)))
  return own + sumOf(children.map(blocksOf))
}

const NOT_COUNTED = ['ModifyTable', 'CTE Scan']

const touchedBy = (plan: Plan): number => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

const scansOf = (plan: Plan | undefined): string[] => [
  ...(plan?.['Node Type'] === 'Seq Scan' && plan['Relation Name'] ? [plan['Relation Name']] : []),
  ...(plan?.Plans ?? []).flatMap(scansOf),
]
