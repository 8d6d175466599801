import { MINUTE_MS, later } from '../../../lib/clock.ts'
import { listQuarantinedTimers } from '../../../cod/conversation/quarantine.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { listQuarantinedMessages } from '../../../messages/queue/quarantine.ts'
import type { NewFinding } from '../finding.ts'

/** A larger number is shown as this one. */
const MAX_COUNTED = 1_000

export async function findQuarantined(sql: Sql): Promise<NewFinding[]> {
  const all = { workspaceId: null, limit: MAX_COUNTED }
  const rows = [...(await listQuarantinedMessages(sql, all)), ...(await listQuarantinedTimers(sql, all))]
  return rows.length > 0 ? [{ code: 'quarantined', number: Math.min(rows.length, MAX_COUNTED) }] : []
}

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
