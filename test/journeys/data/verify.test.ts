import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { perform } from '../../../src/admin/actions/action.ts'
import { hookActions } from '../../../src/admin/actions/hooks.ts'
import { COMMAND_LINE } from '../../../src/admin/audit/audit.ts'
import { dailyFiguresLoop } from '../../../src/charts/daily.ts'
import { chosenEventTypes } from '../../../src/events/event-types.ts'
import type { Db } from '../../../src/lib/db/pool.ts'
import { newId } from '../../../src/lib/ids.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { verify } from '../../../src/operations/verify/verify.ts'
import { runCommandIn } from '../../world/command-line.ts'
import { codAccount } from '../../world/cod.ts'
import { createHook, sendThroughHook } from '../../world/hooks.ts'
import { assertVerified } from '../../world/verified.ts'
import { wrongCode } from '../../world/verifications.ts'
import { type World, startWorld, toMilliseconds } from '../../world/world.ts'

const check = ({ parts, workspaceId }: World, { db = parts.db, maxBatch = 500 }: { db?: Db; maxBatch?: number } = {}) =>
  verify({ ...parts, db }, { workspaceId, secondLookMs: 1, maxBatch })

/** A world with everything in it: codes, orders and refusal checks with every outcome, and webhooks that fail. */
async function fullWorld(t: TestContext) {
  const world = await startWorld(t, { account: codAccount() })
  const receiver = await world.receiver()
  world.advance('2m') // an endpoint that was just added may miss an event
  await world.codSettings({
    confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
    refusal: { reminderMinutes: 60, noResponseMinutes: 300 },
    languages: { en: { closingMessages: { confirmation: 'Thank you!', refusal: 'Sorry' } } },
  })
  receiver.answers({ status: 500 }, { status: 500 })
  const delivered = await world.sendOtp()
  await world.whatsapp.reports(delivered, ['read', 'sent', 'delivered'])
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, ['sent', { status: 'failed', errors: [131026] }])
  const corrected = await world.sendOtp()
  await world.whatsapp.reports(corrected, [{ status: 'failed', errors: [131026] }, 'delivered', 'sent'])
  world.emulator.script({ match: { to: '+212600000001', times: 1 }, behaviour: { error: 131026 } })
  const rejected = await world.sendOtp({ to: '+212600000001' })
  const undelivered = await world.sendOtp({ deliverWithinSeconds: 10 })
  await world.whatsapp.reports(undelivered, ['sent'])
  await world.sendOtp({ deliverWithinSeconds: 3_600 })
  world.advance('10s')
  await world.settled()
  await world.whatsapp.reports(undelivered, ['delivered'])
  const approved = await world.startVerification({ deliverWithinSeconds: 60 })
  await world.check(approved, await world.codeOn(approved))
  const locked = await world.startVerification({ maxAttempts: 1 })
  await world.check(locked, wrongCode(await world.codeOn(locked)))
  await world.startVerification()
  const hook = await createHook(world, 'supabase')
  const hooked = await sendThroughHook(world, hook)
  await world.whatsapp.reports(hooked, ['delivered'])
  await perform(
    hookActions.remove,
    { ...world.parts, actor: COMMAND_LINE },
    { ...hook, workspaceId: world.workspaceId },
  )
  await world.settled()

  const order = async () => {
    const created = await world.createConfirmation()
    await world.settled()
    return { id: created.confirmationId, created, customer: world.customer(created) }
  }
  const rescheduled = await order()
  await rescheduled.customer.taps('Change time')
  await rescheduled.customer.taps(0)
  await rescheduled.customer.taps(0)
  const changed = await order()
  await changed.customer.taps('Confirm')
  await changed.customer.taps('Cancel', { on: changed.customer.screen()[0] })
  const expiring = await order()
  await expiring.customer.taps('Change time')
  await expiring.customer.taps(1)
  const noted = await order()
  await noted.customer.taps('Change time')
  await noted.customer.types('Evening')
  const lost = await order()
  await world.reported(lost.customer.last(), { status: 'failed', errors: [131026] })
  const silent = await order()
  const denied = await order()
  await denied.customer.taps('Confirm')
  await world.startRefusalCheck(denied.created)
  await world.settled()
  await denied.customer.taps('No')
  await world.startRefusalCheck(rescheduled.created)
  await world.settled()
  await rescheduled.customer.taps('Yes')
  await rescheduled.customer.chooses(2)
  await rescheduled.customer.types('Too expensive')
  await world.startRefusalCheck(noted.created)
  await world.settled()
  await world.reported(noted.customer.last(), { status: 'failed', errors: [131026] })
  for (const wait of ['121m', '24h', '12h']) {
    world.advance(wait)
    await world.settled()
  }
  await world.startRefusalCheck(silent.created)
  await world.settled()
  world.advance('6h')
  await world.settled()
  const figures = dailyFiguresLoop(world.parts)
  while ((await figures.turn()).more);
  const late = await world.receiver()
  return {
    world,
    late,
    approved,
    hooked,
    undelivered,
    delivered,
    failed,
    rejected,
    rescheduled,
    changed,
    expiring,
    lost,
    silent,
  }
}

type Full = Awaited<ReturnType<typeof fullWorld>>

/** A fact that an SQL statement changes, the difference to find, and where. */
type Plant = { code: string; sql: string; values: (full: Full) => unknown[] }

type MessageName = 'hooked' | 'delivered' | 'failed' | 'rejected' | 'undelivered'
type OrderName = 'rescheduled' | 'changed' | 'expiring' | 'lost' | 'silent'

const inMessage = (code: string, sql: string, which: MessageName = 'delivered'): Plant => ({
  code,
  sql,
  values: (full) => [full[which].messageId],
})

const ofMessage = (code: string, set: string, which?: MessageName): Plant =>
  inMessage(code, `update messages set ${set} where id = $1 returning id`, which)

const inOrder = (code: string, sql: string, which: OrderName = 'changed'): Plant => ({
  code,
  sql,
  values: (full) => [full[which].id],
})

const ofOrder = (code: string, set: string, which?: OrderName): Plant =>
  inOrder(code, `update confirmations set ${set} where id = $1 returning id`, which)

const ofRefusal = (code: string, set: string): Plant =>
  inOrder(code, `update refusal_checks set ${set} where confirmation_id = $1 returning $1::uuid as id`, 'rescheduled')

const ofVerification = (code: string, set: string): Plant => ({
  code,
  sql: `update otp_verifications set ${set} where id = $1 returning id`,
  values: (full) => [full.approved.verificationId],
})

const withoutEvents = (where: string): string =>
  `with gone as (select id from events where ${where}),
     deliveries as (select id from webhook_deliveries where event_id in (select id from gone)),
     attempts as (delete from webhook_attempts where delivery_id in (select id from deliveries)),
     undelivered as (delete from webhook_deliveries where event_id in (select id from gone))
   delete from events where id in (select id from gone) returning $1::uuid as id`

const event = (set: string) => `update events set ${set} where message_id = $1 and type = 'message.sent' returning id`
const answer = (set: string) =>
  `update cod_answers set ${set} where confirmation_id = $1 and answer = 'confirmed' returning id`
const delivery = (set: string) =>
  `update webhook_deliveries d set ${set} from events e where e.message_id = $1 and e.id = d.event_id returning d.id`

const attempt = (set: string) => `update message_attempts set ${set} where message_id = $1 returning message_id as id`
/** Changes a member of an event's body, or adds one. */
const bodyWith = (...path: string[]) =>
  `body = jsonb_set(body::jsonb, '{${path.join(',')}}', '"2026-01-01T00:00:00.000Z"')::text`
const LAST_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
const KEY_OF_NO_ONE = `api_key_id = 'aaaaaaaaaaaa'`

const PLANTS: readonly Plant[] = [
  ofVerification('verification_status', `status = 'expired'`),
  ofVerification('verification_status', `ended_at = expires_at`),
  ofVerification('verification_time', `created_at = created_at - interval '1 second'`),
  ofVerification('verification_messages', 'sent_at = sent_at || sent_at'),
  ofMessage('message_status', `status = 'delivered'`),
  ofMessage('message_status', `status = 'sent', failure_code = null, failed_at = null`, 'failed'),
  ofMessage('sent_at', `sent_at = sent_at - interval '1 second'`),
  ofMessage('message_failure', `failure_code = 'UNKNOWN'`, 'failed'),
  ofMessage('message_failure', `failure_code = 'WINDOW_CLOSED'`, 'rejected'),
  ofMessage('message_failure', `failure_code = 'RECIPIENT_ERASED'`, 'failed'),
  ofMessage('failed_at', `failed_at = failed_at + interval '1 second'`, 'failed'),
  ofMessage('event_time_of_message', `sent_event_at = sent_event_at + interval '1 second'`),
  ofMessage('message_still_due', `due_at = now()`),
  ofMessage('code_kept', `code = '\\x00', due_at = now()`),
  ofMessage('lease_without_end', `lease = gen_random_uuid()`),
  ofMessage('message_stuck', `status = 'queued', accepted_at = null, provider_message_id = null`),
  ofMessage('message_attempts', 'attempts = 0'),
  ofMessage('unknown_outcomes', 'unknown_outcomes = 1'),
  ofMessage('message_deadline', 'deliver_within_seconds = 60, deliver_by = now()'),
  inMessage(
    'event_time',
    `update messages m set undelivered_event_at = undelivered_event_at + interval '1 second' from events e
     where m.id = $1 and e.message_id = m.id and e.type = 'message.undelivered' returning e.id`,
    'undelivered',
  ),
  ofMessage('undelivered_early', 'deliver_within_seconds = 3600', 'undelivered'),
  inMessage(
    'event_without_cause',
    `update messages m set undelivered_event_at = null from events e
     where m.id = $1 and e.message_id = m.id and e.type = 'message.undelivered' returning e.id`,
    'undelivered',
  ),
  inMessage('event_missing', withoutEvents(`message_id = $1 and type = 'message.undelivered'`), 'undelivered'),
  inMessage(
    'event_body',
    `update events set body = replace(body, '"status":"sent"', '"status":"queued"')
     where message_id = $1 and type = 'message.undelivered' returning id`,
    'undelivered',
  ),
  inMessage(
    'event_without_cause',
    `insert into events (id, workspace_id, type, message_id, occurred_at, recorded_at, body)
     select '${LAST_ID}', workspace_id, 'message.undelivered', message_id, occurred_at + interval '1 second', recorded_at, body
     from events where message_id = $1 and type = 'message.sent' returning id`,
  ),
  inMessage(
    'report_parked',
    `update provider_reports set outcome = 'parked', due_at = null, message_id = null
     where message_id = $1 and body like '%"read"%' returning id`,
  ),
  inMessage(
    'report_result',
    `update provider_reports set outcome = 'ignored', note = '{"code":"messages.known_failure"}'
     where message_id = $1 and body like '%"failed"%' returning id`,
    'failed',
  ),
  inMessage('event_missing', withoutEvents('message_id = $1')),
  inMessage(
    'event_without_cause',
    `insert into events (id, workspace_id, type, message_id, occurred_at, recorded_at, body)
     select '${newId()}', workspace_id, type, message_id, occurred_at + interval '1 second', recorded_at, body
     from events where message_id = $1 returning id`,
  ),
  inMessage('event_time', event(`occurred_at = occurred_at + interval '1 second'`)),
  inMessage('event_body', event(`body = replace(body, '"read"', '"failed"')`)),
  ...['to', 'createdAt', 'sentAt', 'reference', 'extra', 'occurredAt'].map((member) =>
    inMessage('event_body', event(bodyWith('data', member))),
  ),
  inMessage('event_body', event(bodyWith('extra'))),
  inMessage('event_body', event(`body = replace(body, '"status":"read"', '"status":"sent"')`)),
  inMessage(
    'event_body',
    `update events set body = replace(body, 'RECIPIENT_UNREACHABLE', 'UNKNOWN')
     where message_id = $1 and type = 'message.failed' returning id`,
    'failed',
  ),
  ...['recorded_order + 1', 'recorded_order - 1', '0'].map((order) =>
    inMessage('event_order', event(`recorded_order = ${order}`), 'failed'),
  ),
  inMessage('event_order', event(`recorded_order = recorded_order + 1000000000`)),
  ...['unknown', 'retry', 'rejected', 'not_made'].map((outcome) =>
    inMessage('attempt_outcome', attempt(`outcome = '${outcome}'`)),
  ),
  inMessage('attempt_outcome', attempt(`outcome = 'accepted'`), 'rejected'),
  inMessage(
    'report_result',
    `update provider_reports set outcome = 'ignored' where message_id = $1 and outcome = 'applied' returning id`,
  ),
  inMessage(
    'report_result',
    `update provider_reports set outcome = 'applied' where message_id = $1 and outcome = 'ignored' returning id`,
  ),
  inMessage(
    'report_result',
    'update provider_reports set input_number = 4 - input_number where message_id = $1 returning id',
  ),
  ofMessage('unknown_key', KEY_OF_NO_ONE),
  ofMessage('unknown_key', `api_key_id = 'hook:${newId()}'`, 'hooked'),
  inMessage(
    'unknown_key',
    `delete from auth_hooks h using messages m where m.id = $1 and m.api_key_id = 'hook:' || h.id returning m.id`,
    'hooked',
  ),
  ofMessage('message_status', `status = 'read'`, 'hooked'),
  inMessage('delivery_status', delivery(`status = 'failed'`)),
  inMessage('delivery_status', delivery(`ended_at = null`)),
  inMessage('delivery_attempts', delivery('attempts = 0')),
  inMessage(
    'delivery_missing',
    `with gone as (delete from webhook_attempts where delivery_id in (
       select d.id from webhook_deliveries d join events e on e.id = d.event_id where e.message_id = $1))
     delete from webhook_deliveries d using events e where e.message_id = $1 and e.id = d.event_id returning e.id`,
  ),
  {
    code: 'delivery_without_cause',
    sql: `insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, created_at)
      select gen_random_uuid(), workspace_id, id, $2, 'held', now() from events where message_id = $1 returning id`,
    values: ({ delivered, late }) => [delivered.messageId, late.endpointId],
  },
  ofOrder('check_status', `status = 'confirmed'`),
  ofRefusal('check_status', `status = 'denied'`),
  ofOrder('check_answered_at', `answered_at = answered_at + interval '1 second'`),
  ofOrder('check_answered_at', `answered_at = answered_at - interval '2 hours'`, 'expiring'),
  ofOrder('check_chosen', `reschedule = jsonb_set(reschedule, '{timeRange}', '"never"')`, 'rescheduled'),
  ofRefusal('check_chosen', `note = 'Damaged'`),
  ofOrder('check_round', 'round = 4', 'rescheduled'),
  ofOrder('check_closing_sent', 'closing_sent = false'),
  ofOrder('check_failure', `failure_code = 'WINDOW_CLOSED'`, 'lost'),
  ofOrder('check_failure', `failure_code = 'RECIPIENT_ERASED'`, 'lost'),
  ofOrder('timer', 'deadline_at = now()'),
  ofOrder('last_event_at', `last_event_at = last_event_at + interval '1 second'`),
  inOrder('event_missing', withoutEvents(`confirmation_id = $1 and type = 'cod.confirmed'`)),
  inOrder('event_missing', withoutEvents(`confirmation_id = $1 and type = 'cod.no_response'`), 'silent'),
  inOrder('event_missing', withoutEvents(`confirmation_id = $1`), 'lost'),
  inOrder(
    'event_without_cause',
    `insert into events (id, workspace_id, type, confirmation_id, occurred_at, recorded_at, body)
     select '${newId()}', workspace_id, 'cod.failed', id, last_event_at + interval '1 second', now(), '' from confirmations
     where id = $1 returning events.id`,
  ),
  inOrder(
    'event_time_twice',
    `update events set occurred_at = (select last_event_at from confirmations where id = $1)
     where confirmation_id = $1 and type = 'cod.confirmed' returning null as id`,
  ),
  inOrder(
    'event_body',
    `update events set body = replace(body, '"status":"confirmed"', '"status":"cancelled"')
     where confirmation_id = $1 and type = 'cod.confirmed' returning id`,
  ),
  ...['to', 'createdAt', 'answeredAt', 'reference', 'extra', 'failure', 'reschedule', 'refusalCheck'].map((member) =>
    inOrder(
      'event_body',
      `update events set ${bodyWith('data', member)} where confirmation_id = $1 and type = 'cod.confirmed' returning id`,
    ),
  ),
  ...[['refusalCheck', 'note'], ['refusalCheck', 'extra'], ['reschedule', 'extra'], ['status']].map((path) =>
    inOrder(
      'event_body',
      `update events set ${bodyWith('data', ...path)}
       where confirmation_id = $1 and type = 'cod.refusal_confirmed' returning id`,
      'rescheduled',
    ),
  ),
  inOrder(
    'event_body',
    `update events set ${bodyWith('data', 'failure', 'code')} where confirmation_id = $1 and type = 'cod.failed' returning id`,
    'lost',
  ),
  ofOrder('message_of_confirmation', `recipient = '+212600000009'`),
  ofOrder('unknown_key', KEY_OF_NO_ONE),
  ofRefusal('unknown_key', KEY_OF_NO_ONE),
  inOrder(
    'report_result',
    `update provider_reports set outcome = 'ignored', note = '{"code":"cod.superseded"}'
     where confirmation_id = $1 and kind = 'message' returning id`,
  ),
  inOrder(
    'answer_missing',
    `delete from cod_answers where confirmation_id = $1 and answer = 'cancelled' returning report_id as id`,
  ),
  inOrder('answer_without_message', answer('report_id = gen_random_uuid()')),
  inOrder(
    'answer_without_message',
    `with unnumbered as (
       update provider_reports set input_number = null where confirmation_id = $1 and kind = 'message' returning id)
     select a.id from unnumbered join cod_answers a on a.report_id = unnumbered.id`,
  ),
  inOrder(
    'event_without_cause',
    `update events set input_number = null where confirmation_id = $1 and type = 'cod.confirmed' returning id`,
  ),
  inOrder(
    'event_without_cause',
    `insert into events (id, workspace_id, type, confirmation_id, input_number, occurred_at, recorded_at, body)
     select '${LAST_ID}', workspace_id, type, confirmation_id, input_number, occurred_at + interval '1 millisecond', recorded_at, body
     from events where confirmation_id = $1 and type = 'cod.confirmed' returning id`,
  ),
  inOrder(
    'answer_without_message',
    `insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, superseded, report_id)
     select '${LAST_ID}', workspace_id, confirmation_id, check_kind, answer, detail, answered_at, superseded, report_id
     from cod_answers where confirmation_id = $1 and answer = 'confirmed' returning id`,
  ),
  inMessage('input_number', `update provider_reports set input_number = null where message_id = $1 returning id`),
  inMessage('input_number', `update provider_reports set input_number = 1 where message_id = $1 returning id`),
  inMessage(
    'input_number',
    `update messages m set inputs = 2 from provider_reports r
     where m.id = $1 and r.message_id = m.id and r.input_number = 3 returning r.id`,
  ),
  inOrder(
    'input_number',
    `update confirmations c set inputs = 1 from provider_reports r
     where c.id = $1 and r.confirmation_id = c.id and r.input_number > 1 returning r.id`,
  ),
  inOrder('answer', answer(`answer = 'cancelled'`)),
  inOrder('answer', answer('superseded = true')),
  inOrder('answer_time', answer(`answered_at = answered_at + interval '1 second'`)),
  inOrder(
    'question_without_cause',
    `insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
       created_at, status, priority, submit_by)
     select gen_random_uuid(), workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, 'day_question', content,
       created_at, 'queued', 1, submit_by from messages where confirmation_id = $1 and purpose = 'template' returning id`,
  ),
  ...['otp', 'cod_confirmation', 'cod_refusal'].map((kind) => ({
    code: 'units',
    sql: `update quota_usage set used = used + 1 where workspace_id = $1 and kind = '${kind}' returning workspace_id as id`,
    values: ({ world }: Full) => [world.workspaceId],
  })),
  {
    code: 'units',
    sql: `delete from quota_usage where workspace_id = $1 and kind = 'otp' returning workspace_id as id`,
    values: ({ world }) => [world.workspaceId],
  },
  {
    code: 'daily_figures',
    sql: `update daily_figures set groups = jsonb_set(groups, '{0,counts,message.cod}', '77')
      where workspace_id = $1 and groups <> '[]' returning workspace_id as id`,
    values: ({ world }) => [world.workspaceId],
  },
]

/** Clocks of other tests may have been ahead. */
const ALL_KEPT = 'update retention set position = null, kept_since = null'

const REMOVED_UNTIL_NOW = `insert into retention (step, class, position, kept_since)
  values ('test', $1, uuidv7(), now() + interval '1 minute')
  on conflict (step) do update set class = excluded.class, kept_since = excluded.kept_since`

const NO_NOTES = `with answers as (
    update cod_answers set detail = case
      when detail #>> '{reschedule,note}' is not null then jsonb_set(detail, '{reschedule,note}', 'null')
      else jsonb_set(detail, '{note}', 'null') end
    where workspace_id = $1 and coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null),
  confirmations as (
    update confirmations set reschedule = jsonb_set(reschedule, '{note}', 'null')
    where workspace_id = $1 and reschedule ->> 'note' is not null)
  update refusal_checks set note = null where workspace_id = $1`

const NO_DELIVERY = `with gone as (select id from webhook_deliveries where workspace_id = $1 and status = 'succeeded'),
    attempts as (delete from webhook_attempts where delivery_id in (select id from gone))
  delete from webhook_deliveries where id in (select id from gone)`

/** What retention removed while other facts of the same rows are still there. */
const BETWEEN_STEPS = [
  { name: 'notes that retention removed are no difference', text: NO_NOTES, isRemoved: 'content', found: [] },
  {
    name: 'notes that nothing removed are a difference',
    text: NO_NOTES,
    isRemoved: null,
    found: ['answer', 'check_chosen'],
  },
  {
    name: 'another note than the answer gave is a difference, whatever is removed',
    text: `update refusal_checks set note = 'Damaged' where workspace_id = $1 and note is not null`,
    isRemoved: 'content',
    found: ['check_chosen'],
  },
  {
    name: 'removed bodies of events are no difference',
    text: `update events set body = '' where workspace_id = $1`,
    isRemoved: 'content',
    found: [],
  },
  {
    name: 'types of an endpoint may have changed while the audit log was not kept',
    text: NO_DELIVERY,
    isRemoved: 'audit',
    found: [],
  },
]

class Undo extends Error {}

/** The database with the planted fact, which only the statements of a snapshot see. */
const planted = (db: Db, plant: (tx: Parameters<Parameters<Db['transaction']>[0]>[0]) => Promise<unknown>): Db => ({
  ...db,
  async snapshot(work) {
    let result: { value: Awaited<ReturnType<typeof work>> } | undefined
    await db
      .transaction(async (tx) => {
        await plant(tx)
        result = { value: await work(tx) }
        throw new Undo()
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error
      })
    assert.ok(result)
    return result.value
  },
})

test('a workspace with every outcome has no difference, and each planted one is found', async (t) => {
  const full = await fullWorld(t)
  const { world } = full
  const { differences, notVerifiable, checked } = await check(world, { maxBatch: 4 })
  assert.deepEqual(differences.shown, [])
  assert.deepEqual(Object.values(notVerifiable), [0, 0, 0, 0, 0])
  assert.deepEqual(
    Object.entries(checked).filter(([, count]) => count === 0),
    [],
  )
  const types = await world.query<{ type: string }>(
    'select distinct type from events where workspace_id = $1 order by 1',
    [world.workspaceId],
  )
  assert.deepEqual(
    types.map(({ type }) => type),
    chosenEventTypes.toSorted(),
    'each type of event was verified',
  )
  for (const [index, { code, sql, values }] of PLANTS.entries())
    await t.test(`${code}: ${sql.slice(0, 90)}`, async () => {
      const ids: string[] = []
      const db = planted(world.parts.db, async (tx) => {
        const rows = await tx.rows<{ id: string }>({ name: `plant_${index}`, text: sql }, values(full) as string[])
        ids.push(...rows.map(({ id }) => id))
      })
      const found = (await check(world, { db })).differences.shown
      assert.ok(ids.length > 0, 'the statement changes a row')
      assert.ok(
        found.some((each) => each.code === code && (ids.includes(each.id) || ids.includes(null as unknown as string))),
        JSON.stringify(found, null, 1),
      )
    })
  await t.test('removed content is not verifiable, and is not a difference', async () => {
    const text = `update provider_reports set body = '' where workspace_id = $1`
    const db = planted(world.parts.db, (tx) => tx.rows({ name: 'plant_removal', text }, [world.workspaceId]))
    const removed = await check(world, { db })
    assert.deepEqual(removed.differences.shown, [])
    assert.ok(removed.notVerifiable.messages > 0 && removed.notVerifiable.confirmations > 0)
  })
  for (const [index, { name, text, isRemoved, found }] of BETWEEN_STEPS.entries())
    await t.test(name, async () => {
      const db = planted(world.parts.db, async (tx) => {
        await tx.rows({ name: 'plant_all_kept', text: ALL_KEPT }, [])
        if (isRemoved) await tx.rows({ name: `plant_kept_${isRemoved}`, text: REMOVED_UNTIL_NOW }, [isRemoved])
        await tx.rows({ name: `plant_between_${index}`, text }, [world.workspaceId])
      })
      const { differences, notVerifiable: left } = await check(world, { db })
      assert.deepEqual(Object.keys(differences.byCode).toSorted(), found)
      assert.equal(left.confirmations, 0)
    })
})

test('a missing day between counted days is a difference', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  for (let day = 0; day < 6; day += 1) {
    world.advance('1d')
    await world.settled()
    const figures = dailyFiguresLoop(world.parts)
    while ((await figures.turn()).more);
  }
  await assertVerified(world)
  const [missing] = await world.query<{ day: string }>(
    `delete from daily_figures where workspace_id = $1 and day = (
       select day from daily_figures where workspace_id = $1 order by day desc offset 1 limit 1) returning day::text as day`,
    [workspaceId],
  )
  const { shown } = (await check(world)).differences
  assert.deepEqual(
    shown.map(({ code, parameters }) => [code, parameters]),
    [['daily_figures_missing', missing]],
  )
})

test('a sandbox whose clock was moved verifies without a difference', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  await world.query('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  await world.codSettings()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const [silent, asked] = [await world.createConfirmation(), await world.createConfirmation()]
  await world.settled()
  const advance = (by: string) =>
    advanceSandbox(world.parts, { workspaceId: world.workspaceId, byMs: toMilliseconds(by) })
  await advance('3h')
  await world.customer(asked).taps('Change time')
  await advance('2d')
  await world.customer(silent).taps('Confirm')
  await world.whatsapp.reports(await world.sendOtp(), [{ status: 'failed', errors: [131026] }, 'read'])
  await advance('40d')
  await world.whatsapp.reports(otp, ['read'])
  await world.sendOtp()
  await assertVerified(world)
})

test('under load no difference is reported', async (t) => {
  const world = await startWorld(t, { account: codAccount(), statuses: 'automatic' })
  await world.receiver()
  await world.codSettings()
  world.emulator.script({ steps: [{ when: { kind: 'template' }, do: [{ afterMs: 0, tap: { button: 0 } }] }] })
  let sending = true
  const load = Array.from({ length: 4 }, async () => {
    while (sending) {
      await world.createConfirmation()
      await world.sendOtp()
    }
  })
  for (let time = 0; time < 8; time += 1) await assertVerified(world)
  sending = false
  await Promise.all(load)
  await assertVerified(world)
})

test('the command lists each difference with its id and exits with 1, and exits with 0 without any', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.settled()
  const run = (...more: string[]) => runCommandIn(world, ['verify', '--workspace', world.workspaceId, ...more])
  const clean = await run()
  assert.equal(clean.code, 0, clean.stderr)
  assert.match(clean.stdout, /Compared: messages: 1, monthly counters: 1\.\nDifferences: 0\.\n$/)

  await world.query(`update messages set status = 'read' where id = $1`, [otp.messageId])
  const json = await run('--json')
  assert.deepEqual([json.code, json.stderr], [1, ''])
  const { differences } = JSON.parse(json.stdout) as Awaited<ReturnType<typeof verify>>
  assert.deepEqual([differences.total, differences.byCode], [1, { message_status: 1 }])
  assert.deepEqual(differences.shown[0], {
    workspaceId: world.workspaceId,
    id: otp.messageId,
    code: 'message_status',
    parameters: { stored: 'read', derived: 'sending' },
    text: 'The message’s status is read; its attempts and reports give sending.',
  })
  const earlier = await run('--since', '2100-01-01T00:00:00Z')
  assert.deepEqual([earlier.code, earlier.stdout], [0, 'Compared: nothing.\nDifferences: 0.\n'])
  const unknown = await runCommandIn(world, ['verify', '--workspace', newId()])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /No workspace has the id/)
})
