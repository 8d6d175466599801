import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statement, Value } from '../../src/db.ts'
import { type Call, aroundDb } from '../around-db.ts'
import { withConnection } from '../postgres.ts'
import { type World, startWorld } from '../world.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}

/** Tables that grow with every message or order. */
const GROWING = [
  'messages',
  'message_attempts',
  'provider_reports',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'confirmations',
  'refusal_checks',
  'cod_answers',
]
const WAITING = 50_000
/** A probe of an index with so many entries reads 3 or 4 blocks; this leaves room for the few rows that a journey has. */
const BLOCKS_MOST = 1_500

test('with 50,000 of everything waiting in the future no statement of a journey reads a growing table whole', async (t) => {
  const calls = new Map<string, Call>()
  const world = await startWorld(t, {
    wrapDb: (db) =>
      aroundDb(db, (call) => {
        calls.set(call.statement.name, call)
        return call.run()
      }),
  })
  const receiver = await world.receiver()
  await fillWithFutureWork(world)
  const otp = await world.sendOtp({}, { headers: { 'idempotency-key': 'k' } })
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const failing = await world.sendOtp()
  await world.whatsapp.reports(failing, [{ status: 'failed', errors: [131026] }])
  await world.getOtp(otp)
  assert.equal(receiver.received.length, 2)
  await walkThroughConversation(world)

  const journey = [...calls.values()].filter(({ statement }) => GROWING.some((table) => statement.text.includes(table)))
  assert.ok(journey.length >= 25, 'the journey runs the statements of acceptance, submission, reports and delivery')
  const faults: string[] = []
  for (const { statement, values } of journey) {
    const plan = await explain(world, statement, values)
    const scans = scansOf(plan).filter((table) => GROWING.includes(table))
    const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
    if (scans.length > 0) faults.push(`${statement.name} reads all of ${scans.join(', ')}`)
    if (blocks > BLOCKS_MOST) faults.push(`${statement.name} reads ${blocks} blocks`)
  }
  assert.deepEqual(faults, [])
})

/** Every statement of confirmations and refusal checks: asked, reminded, rescheduled, refused, expired. */
async function walkThroughConversation(world: World): Promise<void> {
  await world.codSettings()
  const order = await world.createConfirmation({}, { headers: { 'idempotency-key': 'k' } })
  await world.settled()
  world.advance('121m')
  await world.settled()
  const ana = world.customer(order)
  await ana.taps('Change time')
  await ana.taps(0)
  await ana.types('Evening')
  await world.startRefusalCheck(order, {}, { headers: { 'idempotency-key': 'k' } })
  await world.settled()
  await ana.taps('Yes')
  world.advance('24h')
  await world.settled()
  const { refusalCheck } = await world.getConfirmation(order)
  assert.equal(refusalCheck?.status, 'refusal_confirmed')
}

/** Statistics as they are when ANALYZE ran while the tables were empty: the worst case for a planner. */
async function fillWithFutureWork({ databaseUrl, workspaceId, senderId, account }: World): Promise<void> {
  await withConnection(databaseUrl, async (connection) => {
    await connection.query('analyze')
    await connection.query('set session_replication_role = replica') // foreign keys hold by construction
    await connection.query(FUTURE_MESSAGES, [workspaceId, senderId, WAITING])
    await connection.query(FUTURE_REPORTS, [workspaceId, account.accountId, WAITING])
    await connection.query(FUTURE_DELIVERIES, [workspaceId, WAITING])
    await connection.query(ARMED_CONFIRMATIONS, [workspaceId, senderId, WAITING])
    await connection.query(ARMED_REFUSAL_CHECKS, [workspaceId])
    await connection.query(OLD_ANSWERS, [workspaceId])
  })
}

const FUTURE = `now() + interval '30 days'`
const FUTURE_MESSAGES = `
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
    api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
  select gen_random_uuid(), $1, 'otp', $2, '+212600000000', 'login_code', 'en_US', gen_random_uuid(), 'key', n, now(),
    'queued', 0, ${FUTURE}, ${FUTURE} from generate_series(1, $3::int) n`
const FUTURE_REPORTS = `
  insert into provider_reports (id, workspace_id, account_id, kind, body, provider_message_id, received_at, due_at, outcome)
  select gen_random_uuid(), $1, $2, 'status', '{}', 'wamid.' || n, now(), ${FUTURE}, 'parked'
  from generate_series(1, $3::int) n`
const FUTURE_DELIVERIES = `
  with event as (
    insert into events (id, workspace_id, type, occurred_at, recorded_at, body)
    select gen_random_uuid(), $1, 'ping', now(), now(), '{}' from generate_series(1, $2::int) returning id)
  insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, created_at)
  select gen_random_uuid(), $1, event.id, endpoint.id, 'pending', ${FUTURE}, now()
  from event, webhook_endpoints endpoint where endpoint.workspace_id = $1`

/** Half of them of one customer, whom no message may look through one by one. */
const ARMED_CONFIRMATIONS = `
  insert into confirmations (id, workspace_id, sender_id, recipient, customer_user_id, template_name, template_language,
    parameters, reference, correlation_id, api_key_id, quota_unit, created_at, status, reminder_at, deadline_at)
  select gen_random_uuid(), $1, $2, '+2126000' || (n % 2) * n, 'MA.' || (n % 2) * n, 'order_confirmation', 'en', '{}', 'r',
    gen_random_uuid(), 'key', n, now(), 'awaiting_answer', ${FUTURE}, ${FUTURE} from generate_series(1, $3::int) n`
const ARMED_REFUSAL_CHECKS = `
  insert into refusal_checks (confirmation_id, workspace_id, template_name, template_language, parameters,
    correlation_id, api_key_id, quota_unit, created_at, first_message_id, status, deadline_at)
  select id, $1, 'delivery_refusal', 'en', '{}', gen_random_uuid(), 'key', quota_unit, now(), gen_random_uuid(),
    'awaiting_answer', ${FUTURE} from confirmations where workspace_id = $1 limit 20000`
const OLD_ANSWERS = `
  insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, answered_at)
  select gen_random_uuid(), $1, id, 'confirmation', 'confirmed', now() from confirmations where workspace_id = $1 limit 20000`

class Undo extends Error {}

/** As the program would run it again, with its own connection's settings, and undone. A row is inserted only once. */
async function explain(world: World, { name, text }: Statement<unknown>, values: readonly Value[]): Promise<Plan> {
  const options = /\binsert into\b/.test(text) ? 'format json' : 'analyze, buffers, format json'
  let plan: Plan | undefined
  await world.parts.db
    .transaction(async (tx) => {
      const explained = { name: `explain ${name}`, text: `explain (${options}) ${text}` }
      const [row] = await tx.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained, values)
      plan = row?.['QUERY PLAN'][0].Plan
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  assert.ok(plan)
  return plan
}

const scansOf = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && plan['Relation Name'] ? [plan['Relation Name']] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
]
