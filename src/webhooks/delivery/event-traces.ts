import { type Sql, statement } from '../../lib/db/pool.ts'
import type { ClaimedDelivery } from './claim.ts'

/** The traceparent of each event that has one, by its id. Never throws: a webhook must not fail because of its trace. */
export async function findEventTraces(
  sql: Sql,
  deliveries: readonly Pick<ClaimedDelivery, 'eventId'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(deliveries.map(({ eventId }) => eventId))]
  const rows = await sql.rows(selectTraces, [ids]).catch(() => [])
  return new Map(rows.map(({ eventId, traceparent }) => [eventId, traceparent]))
}

const selectTraces = statement<{ eventId: string; traceparent: string }>(
  'find_traces_of_events',
  // by ids only: the caller has just claimed their deliveries
  `select e.id as "eventId", t.traceparent
   from unnest($1::uuid[]) as claimed (id)
   cross join lateral (select id, message_id, confirmation_id from events where id = claimed.id limit 1) e
   cross join lateral (select traceparent from traces where id = coalesce(e.confirmation_id, e.message_id) limit 1) t`,
)
