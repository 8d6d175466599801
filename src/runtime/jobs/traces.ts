import { DAY_MS } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { removal } from '../../lib/db/removal.ts'

/** Longer than a conversation and the retries of its webhooks take. Later work begins a trace of its own. */
export const TRACE_KEPT_MS = 14 * DAY_MS

/** Keeps the `traceparent` of the request that created a message or a confirmation. Only with tracing on. */
export const storeTraces = async (
  sql: Sql,
  traces: readonly { id: string; traceparent: string }[],
  now: Date,
): Promise<void> => void (await sql.rows(insertTraces, [batch(traces), now]))

const insertTraces = statement(
  'store_traces',
  `insert into traces (id, traceparent, created_at)
   select r.id, r.traceparent, $2 from jsonb_to_recordset($1) as r (id uuid, traceparent text) on conflict (id) do nothing`,
)

/** The traceparent of each of these messages and confirmations that has one. Never throws: work must not fail because of its trace. */
export async function findTraces(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(selectTraces, [[...new Set(ids)]]).catch(() => [])
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]))
}

const selectTraces = statement<{ id: string; traceparent: string }>(
  'find_traces',
  'select id, traceparent from traces where id = any ($1::uuid[])',
)

export const removeOldTraces = removal('remove_old_traces', 'traces', 'created_at < $1')
