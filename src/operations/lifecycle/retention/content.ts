import { type Sql, changes, statement } from '../../../lib/db/pool.ts'
import { type StoredParameters, removedParameters } from '../../../cod/parameters.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { tables } from '../../columns.ts'
import { emptyContent, hasContent } from '../rows.ts'
import { type Step, hasRefusalCheckInUse, idsOf, removedBy, stepOf } from './step.ts'

type IdRow = { id: string }

type Check = 'confirmation' | 'refusal'

/** A one-time code has no content: it is erased when it is sent. */
const messages = stepOf({
  table: 'messages',
  class: 'content',
  showsInUse: true,
  condition: `kind = 'cod' and ${hasContent('messages')}`,
  async remove(tx, ids) {
    const free = await tx.rows(lockFreeMessages, [ids])
    if (free.length === 0) return []
    await removeParameters(
      tx,
      free.filter(({ isFirst }) => isFirst),
    )
    await tx.rows(emptyMessages, [idsOf(free)])
    return idsOf(free)
  },
})

/** Includes their confirmations, which hold the parameters. A running conversation keeps its texts: its reminder repeats the first message. */
const lockFreeMessages = statement<IdRow & { confirmationId: string; checkKind: Check; isFirst: boolean }>(
  'lock_messages_to_remove_content',
  `select m.id, m.confirmation_id as "confirmationId", m.check_kind as "checkKind", m.purpose = 'template' as "isFirst"
   from messages m
   cross join lateral (
     select from confirmations c
     where c.workspace_id = m.workspace_id and c.id = m.confirmation_id and not ${tables.confirmations.inUse('c')}
     limit 1 for no key update skip locked) c
   where m.id = any ($1::uuid[]) and not ${tables.messages.inUse('m')}
     and not ${hasRefusalCheckInUse('m', 'm.confirmation_id')}`,
)

const emptyMessages = emptyContent('messages')

/** Includes attempts to send one-time codes. */
const attempts = stepOf({
  table: 'messages',
  of: 'message_attempts',
  class: 'content',
  // A limited look-up: for `exists` PostgreSQL may read all attempts.
  condition: `coalesce((
    select true from message_attempts where message_id = messages.id and ${hasContent('message_attempts')} limit 1), false)`,
  async remove(tx, ids) {
    await tx.rows(emptyAttempts, [ids])
    return [...ids]
  },
})

const emptyAttempts = emptyContent('message_attempts')

type WithParameters = { id: string; parameters: StoredParameters | null }

const parametersOf = (check: Check, table: string, id: string) => ({
  check,
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

const PARAMETERS = [
  parametersOf('confirmation', 'confirmations', 'id'),
  parametersOf('refusal', 'refusal_checks', 'confirmation_id'),
]

type FirstMessage = { confirmationId: string; checkKind: Check }

async function removeParameters(tx: Sql, messages: readonly FirstMessage[]): Promise<void> {
  for (const { check, select, write } of PARAMETERS) {
    const ids = messages.filter(({ checkKind }) => checkKind === check).map(({ confirmationId }) => confirmationId)
    const rows = ids.length === 0 ? [] : await tx.rows(select, [ids])
    const removed = rows.map(({ id, parameters }) => ({
      id,
      parameters: removedParameters(id, parameters ?? undefined),
    }))
    if (removed.length > 0) await tx.rows(write, [changes(removed)])
  }
}

/** What customers typed. Each note came with an answer, so it is as old as its latest answer. */
const answers = stepOf({
  table: 'cod_answers',
  class: 'content',
  condition: hasContent('cod_answers'),
  async remove(tx, ids, until) {
    const free = await tx.rows(lockAnswered, [ids])
    if (free.length === 0) return []
    const confirmationIds = free.map(({ confirmationId }) => confirmationId)
    await tx.rows(emptyAnswers, [idsOf(free)])
    await tx.rows(emptyConfirmations, [confirmationIds, firstIdAt(until)])
    await tx.rows(emptyChecks, [confirmationIds, firstIdAt(until)])
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

const emptyAnswers = emptyContent('cod_answers', 'id = any ($1::uuid[])')

const withoutLaterNote = (table: string, id: string): string =>
  `${id} = any ($1::uuid[]) and not exists (
     select from cod_answers where workspace_id = ${table}.workspace_id and confirmation_id = ${table}.${id} and id >= $2
       and ${hasContent('cod_answers')})`

const emptyConfirmations = emptyContent('confirmations', withoutLaterNote('confirmations', 'id'))
const emptyChecks = emptyContent('refusal_checks', withoutLaterNote('refusal_checks', 'confirmation_id'))

/** What endpoints received and answered. What is still to be delivered needs its body. */
const events = stepOf({
  table: 'events',
  class: 'content',
  showsInUse: true,
  condition: hasContent('events'),
  async remove(tx, ids) {
    const free = idsOf(await tx.rows(findDeliveredEvents, [ids]))
    if (free.length === 0) return []
    await tx.rows(emptyResponses, [free])
    await tx.rows(emptyEvents, [free])
    return free
  },
})

const findDeliveredEvents = statement<IdRow>(
  'find_events_to_remove_content',
  `select e.id from events e
   where e.id = any ($1::uuid[]) and not exists (
     select from webhook_deliveries d
     where d.workspace_id = e.workspace_id and d.event_id = e.id and ${tables.webhook_deliveries.inUse('d')})`,
)

const emptyResponses = emptyContent('webhook_attempts')
const emptyEvents = emptyContent('events')

const reports = stepOf({
  table: 'provider_reports',
  class: 'content',
  condition: `body <> ''`,
  remove: removedBy(
    statement<IdRow>(
      'empty_provider_reports',
      `update provider_reports r set body = '' where id = any ($1::uuid[]) and not ${tables.provider_reports.inUse('r')}
       returning id`,
    ),
  ),
})

/** Removes texts and payloads. The records stay. A report before the note that was read from it (src/operations/verify). */
export const contentSteps: readonly Step[] = [messages, attempts, reports, answers, events]
