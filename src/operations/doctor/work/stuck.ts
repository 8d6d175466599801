import { HOUR_MS, MINUTE_MS, later } from '../../../lib/clock.ts'
import { listQuarantinedTimers } from '../../../cod/conversation/quarantine.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { listQuarantinedMessages } from '../../../messages/queue/quarantine.ts'
import { MAX_WAIT_MS } from '../../../webhooks/delivery/schedule.ts'
import type { NewFinding } from '../finding.ts'
import { hostOf } from '../setup.ts'

/** A larger number is shown as this one. */
const MAX_COUNTED = 1_000

export async function findQuarantined(sql: Sql): Promise<NewFinding[]> {
  const all = { workspaceId: null, limit: MAX_COUNTED }
  const rows = [...(await listQuarantinedMessages(sql, all)), ...(await listQuarantinedTimers(sql, all))]
  return rows.length > 0 ? [{ code: 'quarantined', number: Math.min(rows.length, MAX_COUNTED) }] : []
}

/** Nodes' measurements of the database's clock differ by less. */
const MARGIN_MS = HOUR_MS
const MAX_ENDPOINTS = 50

type FarAhead = { workspace: string; endpointId: string; url: string; number: number }

/** Only a clock that was ahead schedules an attempt so late, and nothing corrects that before it is due. */
export async function findDeliveriesFarAhead(sql: Sql, now: Date): Promise<NewFinding[]> {
  const rows = await sql.rows(listFarAhead, [later(now, MAX_WAIT_MS + MARGIN_MS)])
  return rows.map(({ workspace, endpointId, url, number }) => ({
    code: 'deliveries_far_ahead',
    workspace,
    endpointId,
    host: hostOf(url),
    number,
  }))
}

const listFarAhead = statement<FarAhead>(
  'list_deliveries_far_ahead',
  `select w.name as workspace, e.id as "endpointId", e.url, d.number
   from webhook_endpoints e
   cross join lateral (select name from workspaces where id = e.workspace_id and deleted_at is null limit 1) w
   cross join lateral (
     select count(*)::int as number from (
       select from webhook_deliveries where endpoint_id = e.id and due_at > $1 order by due_at limit ${MAX_COUNTED}) next) d
   where e.status = 'enabled' and e.deleted_at is null and d.number > 0
   order by e.id limit ${MAX_ENDPOINTS}`,
)

/** Leases end within 25 seconds, and housekeeping removes older rows after a minute. */
const MAX_LEASE_MS = 3 * MINUTE_MS

/** Uses the real time in the id, because `taken_at` is simulated on the first day of `npm start`. */
const countOldLeases = statement<{ number: number }>(
  'count_old_leases',
  `select count(*)::int as number from (select from leases where id < $1 limit ${MAX_COUNTED}) old`,
)

export async function findStuckLeases(sql: Sql, now: Date): Promise<NewFinding[]> {
  const { number } = (await sql.row(countOldLeases, [firstIdAt(later(now, -MAX_LEASE_MS))])) ?? { number: 0 }
  return number > 0 ? [{ code: 'leases_stuck', number }] : []
}
