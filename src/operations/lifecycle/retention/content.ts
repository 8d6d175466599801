import { type Sql, changes, statement } from '../../../lib/db/pool.ts'
import { type StoredParameters, removedParameters } from '../../../cod/parameters.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { HAS_ERROR_TEXT, removeErrorTexts } from '../../../messages/queue/error-texts.ts'
import { reportsStep } from './reports.ts'
import { type Step, idsOf, stepOfTable } from './step.ts'

type IdRow = { id: string }

/** A running conversation keeps its texts: its reminder repeats the first message. A quarantined timer does not run. */
const NO_TIMER = (of: string): string => `(${of}.timer_due_at is null or ${of}.timer_quarantined_at is not null)`

type FreeMessage = {
  id: string
  confirmationId: string
  checkKind: 'confirmation' | 'refusal'
  isFirst: boolean
}

/** A one-time code has no content: it is erased when it is sent. */
const messages = stepOfTable({
  table: 'messages',
  class: 'content',
  showsInUse: true,
  condition: `kind = 'cod' and content ->> 'type' <> 'removed'`,
  async remove(tx, ids) {
    const free = await tx.rows(lockFreeMessages, [ids])
    if (free.length === 0) return []
    for (const check of ['confirmation', 'refusal'] as const) {
      const first = free.filter(({ checkKind, isFirst }) => isFirst && checkKind === check)
      await removeParameters(
        tx,
        check,
        first.map(({ confirmationId }) => confirmationId),
      )
    }
    await tx.rows(removeContent, [idsOf(free)])
    return idsOf(free)
  },
})

/** With their confirmations, which hold the parameters. */
const lockFreeMessages = statement<FreeMessage>(
  'lock_messages_to_remove_content',
  `select m.id, m.confirmation_id as "confirmationId", m.check_kind as "checkKind", m.purpose = 'template' as "isFirst"
   from messages m
   cross join lateral (
     select from confirmations c
     where c.workspace_id = m.workspace_id and c.id = m.confirmation_id and ${NO_TIMER('c')}
     limit 1 for no key update skip locked) c
   where m.id = any ($1::uuid[]) and m.due_at is null and m.lease is null
     and not exists (
       select from refusal_checks f
       where f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id and not ${NO_TIMER('f')})`,
)

const removeContent = statement(
  'remove_content_of_messages',
  `update messages set content = '{"type": "removed"}' where id = any ($1::uuid[])`,
)

/** Includes attempts to send one-time codes. */
const attempts = stepOfTable({
  table: 'messages',
  of: 'message_attempts',
  class: 'content',
  condition: HAS_ERROR_TEXT,
  async remove(tx, ids) {
    await removeErrorTexts(tx, ids)
    return [...ids]
  },
})

type WithParameters = { id: string; parameters: StoredParameters | null }

const parametersOf = (table: string, id: string) => ({
  /** Without an idempotency key nothing is compared with them. */
  select: statement<WithParameters>(
    `select_parameters_of_${table}`,
    `select ${id} as id, case when idempotency_key is not null then parameters end as parameters
     from ${table} where ${id} = any ($1::uuid[])`,
  ),
  write: statement(
    `remove_parameters_of_${table}`,
    `update ${table} t set parameters = $1::jsonb -> t.${id}::text -> 'parameters'
     where t.${id} = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
  ),
})

const parameterStatements = {
  confirmation: parametersOf('confirmations', 'id'),
  refusal: parametersOf('refusal_checks', 'confirmation_id'),
}

async function removeParameters(tx: Sql, check: 'confirmation' | 'refusal', ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { select, write } = parameterStatements[check]
  const rows = await tx.rows(select, [ids])
  const removed = rows.map(({ id, parameters }) => ({ id, parameters: removedParameters(id, parameters ?? undefined) }))
  await tx.rows(write, [changes(removed)])
}

/** What customers typed. Each note came with an answer, so it is as old as its latest answer. */
const answers = stepOfTable({
  table: 'cod_answers',
  class: 'content',
  condition: `coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null`,
  async remove(tx, ids, until) {
    const free = await tx.rows(lockAnswered, [ids])
    if (free.length === 0) return []
    const confirmationIds = free.map(({ confirmationId }) => confirmationId)
    await tx.rows(removeNotes, [idsOf(free)])
    await tx.rows(removeRescheduleNotes, [confirmationIds, firstIdAt(until)])
    await tx.rows(removeRefusalNotes, [confirmationIds, firstIdAt(until)])
    return idsOf(free)
  },
})

/** A process that is handling an answer may hold the note in memory. */
const lockAnswered = statement<IdRow & { confirmationId: string }>(
  'lock_confirmations_to_remove_notes',
  `select a.id, a.confirmation_id as "confirmationId" from cod_answers a
   cross join lateral (
     select from confirmations c where c.workspace_id = a.workspace_id and c.id = a.confirmation_id
     limit 1 for no key update skip locked) c
   where a.id = any ($1::uuid[])`,
)

const removeNotes = statement(
  'remove_notes_of_answers',
  `update cod_answers set detail = case
     when detail #>> '{reschedule,note}' is not null then jsonb_set(detail, '{reschedule,note}', 'null')
     else jsonb_set(detail, '{note}', 'null') end
   where id = any ($1::uuid[]) and coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null`,
)

const NO_LATER_NOTE = (confirmation: string): string =>
  `not exists (
     select from cod_answers a where a.workspace_id = t.workspace_id and a.confirmation_id = t.${confirmation} and a.id >= $2
       and coalesce(a.detail #>> '{reschedule,note}', a.detail ->> 'note') is not null)`

const removeRescheduleNotes = statement(
  'remove_notes_of_confirmations',
  `update confirmations t set reschedule = jsonb_set(reschedule, '{note}', 'null')
   where id = any ($1::uuid[]) and reschedule ->> 'note' is not null and ${NO_LATER_NOTE('id')}`,
)

const removeRefusalNotes = statement(
  'remove_notes_of_refusal_checks',
  `update refusal_checks t set note = null
   where confirmation_id = any ($1::uuid[]) and note is not null and ${NO_LATER_NOTE('confirmation_id')}`,
)

/** What endpoints received and answered. What is still to be delivered needs its body. */
const events = stepOfTable({
  table: 'events',
  class: 'content',
  showsInUse: true,
  condition: `body <> ''`,
  async remove(tx, ids) {
    const free = idsOf(await tx.rows(findDeliveredEvents, [ids]))
    if (free.length === 0) return []
    await tx.rows(removeResponses, [free])
    await tx.rows(removeBodies, [free])
    return free
  },
})

const findDeliveredEvents = statement<IdRow>(
  'find_events_to_remove_content',
  `select e.id from events e
   where e.id = any ($1::uuid[]) and not exists (
     select from webhook_deliveries d
     where d.workspace_id = e.workspace_id and d.event_id = e.id and (d.status = 'pending' or d.lease is not null))`,
)

const removeResponses = statement(
  'remove_responses_of_events',
  `update webhook_attempts set response = null
   where response is not null
     and delivery_id = any (array (select id from webhook_deliveries where event_id = any ($1::uuid[])))`,
)

const removeBodies = statement('remove_bodies_of_events', `update events set body = '' where id = any ($1::uuid[])`)

const reports = reportsStep({
  class: 'content',
  condition: `body <> ''`,
  removal: statement<IdRow>(
    'remove_bodies_of_reports',
    `update provider_reports set body = '' where id = any ($1::uuid[]) and due_at is null returning id`,
  ),
})

/** Removes texts and payloads. The records stay. A report before the note that was read from it (src/operations/verify). */
export const contentSteps: readonly Step[] = [messages, attempts, reports, answers, events]
