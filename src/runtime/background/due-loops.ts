import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { waitingSince } from '../../messages/queue/lock-senders.ts'
import { waitingEndpoints } from '../../webhooks/delivery/claim.ts'
import { areLeasesLost } from '../jobs/leases.ts'
import { mayNodeBeDead, suspectLimits } from '../jobs/node.ts'
import type { Parts } from '../parts.ts'
import { lostLeaseTimes } from './dead-nodes.ts'
import type { SearchStarts } from '../jobs/search-start.ts'
import type { LookResult } from './look.ts'

/** Endpoints with waiting deliveries that a look reads. With more of them it may say that some are due although none is. */
const MAX_ENDPOINTS = 1_000

/** The first of an index on when rows are due. Not `min`, which a plan made for a small table reads all of it for. */
const isFirstDue = (table: string, column: string, condition = `${column} is not null`): string =>
  `coalesce((select ${column} from ${table} where ${condition} order by ${column} limit 1) <= $1, false)`

const areTimersDue = (table: string): string =>
  isFirstDue(table, 'timer_due_at', `timer_due_at is not null and timer_quarantined_at is null`)

/** If more queues have waited for longer than MARGIN_MS, searches begin at the beginning. */
const MAX_OLDER = 1_000
/**
 * Searches begin this long before the last look: a row may be committed late, and another node's clock may be behind. Each second costs a search
 * as many index entries as messages or deliveries were made in it.
 */
const MARGIN_MS = 10 * SECOND_MS

/** Longer than STATEMENT_TIMEOUT_MS, and short enough for a stop to wait for it. */
const MAX_LONG_MS = 10 * SECOND_MS

/**
 * Whether each loop has due work. True may be wrong, such as for messages of a paused number. False is wrong only if the look did not begin
 * at the beginning and a row got an earlier due time. With `mayTakeLong` the statement may take MAX_LONG_MS.
 */
export async function findDueLoops(
  { db, clock, node }: Pick<Parts, 'db' | 'clock' | 'node'>,
  { messages, deliveries }: SearchStarts,
  { mayTakeLong = false } = {},
): Promise<LookResult> {
  const now = clock.now()
  const since = later(now, -MARGIN_MS)
  const starts = [messages, deliveries].flatMap((start) => [start.since, batch(start.older)])
  const times = [...suspectLimits, ...lostLeaseTimes(now)] as const
  const look = (sql: Sql) => sql.row(selectDueWork, [now, node.id, ...times, ...starts, since])
  const row = await (mayTakeLong ? db.transaction(look, { statementMs: MAX_LONG_MS }) : look(db))
  if (!row) throw new Error('the look for due work returned no row')
  const { submit, olderMessages, olderDeliveries, ...due } = row
  const sinceText = since.toISOString()
  const next = olderMessages &&
    olderDeliveries && {
      messages: { since: sinceText, older: olderMessages },
      deliveries: { since: sinceText, older: olderDeliveries },
    }
  return { due: { ...due, submit, overdue: submit }, next }
}

type WatchedLoop =
  | 'submit'
  | 'reports'
  | 'timers'
  | 'verifications'
  | 'undelivered'
  | 'deliver'
  | 'release'
  | 'sandbox'
  | 'leases'
  | 'sync'
  | 'purge'
  | 'doctor'

/** SQL: `older` of a SearchStart that begins at $12, or null if there are too many. */
const olderOf = (rows: string, columns: readonly string[]): string =>
  `(select case when count(*) <= ${MAX_OLDER} then coalesce(jsonb_agg(
       jsonb_build_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})), '[]') end
     from ${rows} where due_at < $12)`

const selectDueWork = statement<
  Record<WatchedLoop, boolean> & Record<'olderMessages' | 'olderDeliveries', object[] | null>
>(
  'find_due_work',
  `${waitingSince('$8', '$9')}, ${waitingEndpoints({ max: String(MAX_ENDPOINTS), since: '$10', older: '$11' })}
   select ${olderOf('waiting', ['sender_id', 'priority', 'due_at'])} as "olderMessages",
     case when (select max(position) from head) = ${MAX_ENDPOINTS} then null
       else ${olderOf('head', ['endpoint_id', 'due_at'])} end as "olderDeliveries",
     coalesce((select min(due_at) from waiting) <= $1, false) as submit,
     ${isFirstDue('provider_reports', 'due_at')} as reports,
     ${areTimersDue('confirmations')} or ${areTimersDue('refusal_checks')} as timers,
     ${isFirstDue('otp_verifications', 'due_at')} as verifications,
     ${isFirstDue('messages', 'deliver_by')} as undelivered,
     coalesce((select min(due_at) <= $1 or max(position) = ${MAX_ENDPOINTS} from head), false) as deliver,
     ${isFirstDue('webhook_endpoints', 'release_at', "release_at is not null and status = 'enabled'")} as release,
     ${isFirstDue('sandbox_work', 'due_at')} as sandbox,
     ${mayNodeBeDead('$2', '$3', '$4')} or ${areLeasesLost('$5', '$6', '$7')} as leases,
     ${isFirstDue('provider_accounts', 'sync_due_at')} as sync,
     ${isFirstDue('workspaces', 'deletion_due_at', 'deletion_due_at is not null and purged_at is null')} as purge,
     coalesce((select due_at from doctor_runs where only_row) <= $1, true)
       or (select 1 from doctor_findings where alert_due_at <= $1 limit 1) is not null as doctor`,
)
