import { statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { reportsStep } from './reports.ts'
import { type Step, idsOf, removedBy, stepOfTable } from './step.ts'

type IdRow = { id: string }

/**
 * Locks the events and deliveries of `$1`, to which `column` of the events refers. `in_use`: those of `$1` with one that is
 * locked by another transaction, perhaps to send it again, or that is still to be delivered.
 */
const lockEventsOf = (column: string): string =>
  `events_of as materialized (
     select id, ${column} as of_id from events where ${column} = any ($1::uuid[])
   ), locked_events as materialized (
     select id from events where id = any (array (select id from events_of)) for update skip locked
   ), locked_deliveries as materialized (
     select id from webhook_deliveries
     where event_id = any (array (select id from locked_events)) and status <> 'pending' and lease is null
     for update skip locked
   ), busy_deliveries as materialized (
     select event_id from webhook_deliveries
     where event_id = any (array (select id from events_of)) and id not in (select id from locked_deliveries)
   ), in_use as materialized (
     select of_id as id from events_of
     where id not in (select id from locked_events) or id in (select event_id from busy_deliveries)
   )`

/** `$1`: ids of locked rows, to which `column` of the events refers. */
const removeEventsOf = (column: string): string =>
  `gone_events as materialized (
     select id from events where ${column} = any ($1::uuid[])
   ), gone_deliveries as materialized (
     select id from webhook_deliveries where event_id = any (array (select id from gone_events))
   ), webhook_tries as (
     delete from webhook_attempts where delivery_id = any (array (select id from gone_deliveries))
   ), deliveries as (
     delete from webhook_deliveries where id = any (array (select id from gone_deliveries))
   ), events_gone as (
     delete from events where id = any (array (select id from gone_events))
   )`

/** An order with everything that belongs to it, when its last message is older than records are kept. */
const confirmations = stepOfTable({
  table: 'confirmations',
  class: 'records',
  async remove(tx, ids, until) {
    const free = idsOf(await tx.rows(findEndedConfirmations, [ids, firstIdAt(until)]))
    return free.length === 0 ? [] : idsOf(await tx.rows(removeConfirmations, [free]))
  },
})

/** A report locks its message and then the order, so a removal that waited for the message would be a deadlock. */
const findEndedConfirmations = statement<IdRow>(
  'find_confirmations_to_remove',
  `with locked_messages as materialized (
     select id from messages
     where confirmation_id = any ($1::uuid[]) and due_at is null and lease is null and id < $2
     for update skip locked
   ), ${lockEventsOf('confirmation_id')}
   select c.id from confirmations c
   where c.id = any ($1::uuid[]) and (c.timer_due_at is null or c.timer_quarantined_at is not null)
     and not exists (
       select from refusal_checks f
       where f.workspace_id = c.workspace_id and f.confirmation_id = c.id
         and f.timer_due_at is not null and f.timer_quarantined_at is null)
     and not exists (
       select from messages m
       where m.workspace_id = c.workspace_id and m.confirmation_id = c.id
         and m.id not in (select id from locked_messages))
     and c.id not in (select id from in_use)`,
)

const removeConfirmations = statement<IdRow>(
  'remove_confirmations',
  `with ${removeEventsOf('confirmation_id')}, gone_messages as materialized (
     select id from messages where confirmation_id = any ($1::uuid[])
   ), tries as (
     delete from message_attempts where message_id = any (array (select id from gone_messages))
   ), messages_gone as (
     delete from messages where id = any (array (select id from gone_messages))
   ), answers as (
     delete from cod_answers where confirmation_id = any ($1::uuid[])
   ), checks as (
     delete from refusal_checks where confirmation_id = any ($1::uuid[])
   )
   delete from confirmations where id = any ($1::uuid[]) returning id`,
)

/** One-time codes. The messages of an order are removed with it. */
const messages = stepOfTable({
  table: 'messages',
  class: 'records',
  showsInUse: true,
  condition: 'confirmation_id is null',
  async remove(tx, ids) {
    const free = idsOf(await tx.rows(findEndedMessages, [ids]))
    return free.length === 0 ? [] : idsOf(await tx.rows(removeMessages, [free]))
  },
})

const findEndedMessages = statement<IdRow>(
  'find_messages_to_remove',
  `with ${lockEventsOf('message_id')}
   select id from messages
   where id = any ($1::uuid[]) and due_at is null and lease is null and id not in (select id from in_use)`,
)

const removeMessages = statement<IdRow>(
  'remove_messages',
  `with ${removeEventsOf('message_id')}, tries as (
     delete from message_attempts where message_id = any ($1::uuid[])
   )
   delete from messages where id = any ($1::uuid[]) returning id`,
)

/** Pings. Other events are removed with their message or order. */
const events = stepOfTable({
  table: 'events',
  class: 'records',
  showsInUse: true,
  condition: 'message_id is null and confirmation_id is null',
  async remove(tx, ids) {
    const free = idsOf(await tx.rows(findEndedPings, [ids]))
    return free.length === 0 ? [] : idsOf(await tx.rows(removePings, [free]))
  },
})

const findEndedPings = statement<IdRow>(
  'find_pings_to_remove',
  `with ${lockEventsOf('id')}
   select id from events where id = any ($1::uuid[]) and id not in (select id from in_use)`,
)

const removePings = statement<IdRow>('remove_pings', `with ${removeEventsOf('id')} select id from gone_events`)

const reports = reportsStep({
  class: 'records',
  removal: statement<IdRow>(
    'remove_reports',
    'delete from provider_reports where id = any ($1::uuid[]) and due_at is null returning id',
  ),
})

const rowsOf = (table: string, keptClass: 'records' | 'audit'): Step =>
  stepOfTable({
    table,
    class: keptClass,
    remove: removedBy(
      statement<IdRow>(`remove_${table}`, `delete from ${table} where id = any ($1::uuid[]) returning id`),
    ),
  })

/** Orders before what belongs to them: a row cannot be removed while other rows refer to it. */
export const recordSteps: readonly Step[] = [
  confirmations,
  messages,
  events,
  reports,
  rowsOf('template_changes', 'records'),
  rowsOf('audit_log', 'audit'),
]
