import { type Statement, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { type Table, lifeOf, tableNames, tables } from '../../columns.ts'
import { deleteWithParts } from '../rows.ts'
import { type Step, hasRefusalCheckInUse, idsOf, removedBy, stepOf } from './step.ts'

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
     select id from webhook_deliveries d
     where event_id = any (array (select id from locked_events)) and not ${tables.webhook_deliveries.inUse('d')}
     for update skip locked
   ), busy_deliveries as materialized (
     select event_id from webhook_deliveries
     where event_id = any (array (select id from events_of)) and id not in (select id from locked_deliveries)
   ), in_use as materialized (
     select of_id as id from events_of
     where id not in (select id from locked_events) or id in (select event_id from busy_deliveries)
   )`

/** A report locks its message and then the order, so a removal that waited for the message would be a deadlock. */
const findEndedConfirmations = statement<IdRow>(
  'find_confirmations_to_remove',
  `with locked_messages as materialized (
     select id from messages m
     where confirmation_id = any ($1::uuid[]) and not ${tables.messages.inUse('m')} and id < $2
     for update skip locked
   ), ${lockEventsOf('confirmation_id')}
   select c.id from confirmations c
   where c.id = any ($1::uuid[]) and not ${tables.confirmations.inUse('c')}
     and not ${hasRefusalCheckInUse('c', 'c.id')}
     and not exists (
       select from messages m
       where m.workspace_id = c.workspace_id and m.confirmation_id = c.id
         and m.id not in (select id from locked_messages))
     and c.id not in (select id from in_use)`,
)

/** A code waits for its verification, whose end is still to be reported. */
const VERIFICATION_IN_USE = `exists (
       select from otp_verifications v where v.workspace_id = t.workspace_id and v.id = t.id and ${tables.otp_verifications.inUse('v')})`

const findEnded = (table: 'messages' | 'events', column: string, alsoInUse = 'false'): Statement<IdRow> =>
  statement(
    `find_${table}_to_remove`,
    `with ${lockEventsOf(column)}
     select id from ${table} t
     where id = any ($1::uuid[]) and id < $2 and not ${lifeOf(table).inUse?.('t') ?? 'false'}
       and not ${alsoInUse} and id not in (select id from in_use)`,
  )

/** Rows are removed with their parts. `findEnded` finds which rows of `$1` are older than `$2` and no longer needed by any work. */
const WITH_PARTS: Partial<Record<Table, { findEnded: Statement<IdRow>; condition?: string; showsInUse?: boolean }>> = {
  // an order with everything that belongs to it, when its last message is older than records are kept
  confirmations: { findEnded: findEndedConfirmations },
  // one-time codes
  messages: {
    findEnded: findEnded('messages', 'message_id', VERIFICATION_IN_USE),
    condition: 'confirmation_id is null',
    showsInUse: true,
  },
  // pings
  events: {
    findEnded: findEnded('events', 'id'),
    condition: 'message_id is null and confirmation_id is null',
    showsInUse: true,
  },
}

function recordStep(table: Table): Step {
  const { findEnded, ...options } = WITH_PARTS[table] ?? {}
  const remove = removedBy(deleteWithParts(table))
  return stepOf({
    table,
    class: lifeOf(table).kept ?? 'records',
    ...options,
    async remove(tx, ids, until) {
      const ended = findEnded ? idsOf(await tx.rows(findEnded, [ids, firstIdAt(until)])) : ids
      return ended.length === 0 ? [] : remove(tx, ended)
    },
  })
}

/** Orders before what belongs to them: a row cannot be removed while other rows refer to it. */
export const recordSteps: readonly Step[] = tableNames
  .filter((table) => lifeOf(table).kept)
  .toReversed()
  .map(recordStep)
