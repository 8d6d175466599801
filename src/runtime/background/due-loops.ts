import { statement } from '../../lib/db/pool.ts'
import { WAITING } from '../../messages/queue/lock-senders.ts'
import { waitingEndpoints } from '../../webhooks/delivery/claim.ts'
import { areLeasesLost } from '../jobs/leases.ts'
import { mayNodeBeDead, suspectLimits } from '../jobs/node.ts'
import type { Parts } from '../parts.ts'
import { lostLeaseTimes } from './dead-nodes.ts'
import type { DueLoops } from './look.ts'

/** Endpoints with waiting deliveries that a look reads. With more of them it may say that some are due although none is. */
const MAX_ENDPOINTS = 1_000

/** The first of an index on when rows are due. Not `min`, which a plan made for a small table reads all of it for. */
const isFirstDue = (table: string, column: string, condition = `${column} is not null`): string =>
  `coalesce((select ${column} from ${table} where ${condition} order by ${column} limit 1) <= $1, false)`

const areTimersDue = (table: string): string =>
  isFirstDue(table, 'timer_due_at', `timer_due_at is not null and timer_quarantined_at is null`)

/** Whether each loop has due work. True may be wrong, such as for messages of a paused number; false is not. */
export async function findDueLoops({ db, clock, node }: Pick<Parts, 'db' | 'clock' | 'node'>): Promise<DueLoops> {
  const now = clock.now()
  const row = await db.row(selectDueWork, [now, node.id, ...suspectLimits, ...lostLeaseTimes(now)])
  if (!row) throw new Error('the look for due work returned no row')
  const { submit, ...due } = row
  return { ...due, submit, overdue: submit }
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

const selectDueWork = statement<Record<WatchedLoop, boolean>>(
  'find_due_work',
  `${WAITING}, ${waitingEndpoints({ max: String(MAX_ENDPOINTS) })}
   select coalesce((select min(due_at) from waiting) <= $1, false) as submit,
     ${isFirstDue('provider_reports', 'due_at')} as reports,
     ${areTimersDue('confirmations')} or ${areTimersDue('refusal_checks')} as timers,
     ${isFirstDue('otp_verifications', 'due_at')} as verifications,
     ${isFirstDue('messages', 'deliver_by')} as undelivered,
     coalesce((select min(due_at) <= $1 or max(position) = ${MAX_ENDPOINTS} from head), false) as deliver,
     ${isFirstDue('webhook_endpoints', 'release_at', "release_at is not null and status = 'enabled'")} as release,
     ${isFirstDue('sandbox_work', 'due_at')} as sandbox,
     ${mayNodeBeDead('$2', '$3', '$4')} or ${areLeasesLost('$5', '$6', '$7')} as leases`,
)
