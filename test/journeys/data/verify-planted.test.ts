import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenEventTypes } from '../../../src/events/event-types.ts'
import type { Db } from '../../../src/lib/db/pool.ts'
import { newId } from '../../../src/lib/ids.ts'
import { fullWorld } from '../../world/full-world.ts'
import { check } from '../../world/verified.ts'

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
  ofMessage('message_status', 'own_failure = null', 'rejected'),
  ofMessage('message_status', `own_failure = own_failure || '{"at":"never"}'`, 'rejected'),
  ofMessage('message_status', `own_failure = own_failure || '{"code":"UNKNOWN"}'`, 'rejected'),
  ofMessage('failed_at', `own_failure = own_failure || '{"clockOffsetMs":1000}'`, 'rejected'),
  inMessage('message_status', attempt(`outcome = 'retry'`), 'rejected'),
  ofMessage('input_number', 'undelivered_input = 9', 'undelivered'),
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
  ...(['silent', 'expiring', 'lost'] as const).map((order) => ofOrder('check_status', 'internal_inputs = null', order)),
  ofOrder(
    'check_status',
    `internal_inputs = jsonb_set(internal_inputs, '{0,event,type}', '"recipient_erased"')`,
    'lost',
  ),
  ofOrder('check_status', `internal_inputs = jsonb_set(internal_inputs, '{0,event,code}', '"WINDOW_CLOSED"')`, 'lost'),
  ofOrder('check_answered_at', `internal_inputs = jsonb_set(internal_inputs, '{0,clockOffsetMs}', '1000')`, 'expiring'),
  inOrder(
    'check_status',
    `update messages set failed_event_at = null where confirmation_id = $1 returning confirmation_id as id`,
    'lost',
  ),
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

/** `typesChanged`: how long after now the types of the endpoints were changed. */
const noDelivery = (typesChanged: string) =>
  `with gone as (select id from webhook_deliveries where workspace_id = $1 and status = 'succeeded'),
    attempts as (delete from webhook_attempts where delivery_id in (select id from gone)),
    changed as (update webhook_endpoints set event_types_changed_at = now() + interval '${typesChanged}' where workspace_id = $1)
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
    name: 'a missing delivery is a difference, although the audit log was removed',
    text: noDelivery('-100 days'),
    isRemoved: 'audit',
    found: ['delivery_missing'],
  },
  {
    name: 'an endpoint whose types were changed may have received other types before',
    text: noDelivery('100 days'),
    isRemoved: null,
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
