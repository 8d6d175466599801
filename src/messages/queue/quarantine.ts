import { type Db, type Sql, isDatabaseUnavailable, statement } from '../../lib/db/pool.ts'
import { type QuarantinedRow, type RetryDecision, decideRetry } from '../../runtime/jobs/retry.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { ClaimedMessage } from './claim.ts'

/** Reports and messages, of one workspace or of all; at most `limit` of each, the oldest of them. */
export const listQuarantinedMessages = (
  sql: Sql,
  { workspaceId, limit }: { workspaceId: string | null; limit: number },
): Promise<QuarantinedRow[]> => sql.rows(listQuarantined, [workspaceId, limit])

const listQuarantined = statement<QuarantinedRow>(
  'list_quarantined_messages',
  `(select 'report' as kind, id, workspace_id as "workspaceId", received_at as since, note as fault
    from provider_reports
    where outcome = 'quarantined' and ($1::uuid is null or workspace_id = $1) order by received_at limit $2)
   union all
   (select 'message', id, workspace_id, quarantined_at, finish_error
    from messages
    where quarantined_at is not null and ($1::uuid is null or workspace_id = $1) order by quarantined_at limit $2)`,
)

type ReleasedRow = Pick<QuarantinedRow, 'kind' | 'workspaceId'>

/** A report or a message. Returns undefined if there is none. */
export const releaseMessage = async (tx: Sql, id: string, now: Date): Promise<ReleasedRow | undefined> =>
  (await tx.row(releaseReport, [id, now])) ?? tx.row(releaseOverdue, [id, now])

const releaseReport = statement<ReleasedRow>(
  'release_quarantined_report',
  `update provider_reports set outcome = 'waiting', due_at = $2, attempts = 0, note = null
   where id = $1 and outcome = 'quarantined' returning 'report' as kind, workspace_id as "workspaceId"`,
)

/** The message's window has closed and its code is erased, so only its failure is left to store. */
const releaseOverdue = statement<ReleasedRow>(
  'release_quarantined_message',
  `update messages set quarantined_at = null, finish_error = null, finish_tries = 0, due_at = $2
   where id = $1 and quarantined_at is not null returning 'message' as kind, workspace_id as "workspaceId"`,
)

/** A message whose window has closed, as it was read. */
type ClosedLease = { workspace_id: string; id: string; lease: string | null; tries: number }

/** Counts a fault of a message unless it has changed. Without `retryAt` the end of its lease is its retry. */
export const countFault = (
  db: Db,
  { workspace_id, id, lease, tries: triesBefore }: ClosedLease,
  { tries, fault, retryAt, quarantinedAt }: Omit<RetryDecision, 'outcome'>,
): Promise<{ id: string }[]> =>
  db.rows(storeFault, [workspace_id, id, lease, triesBefore, tries, fault, retryAt, quarantinedAt])

/** A quarantined message no longer needs its code. With a lease, a takeover would make it due again. */
const storeFault = statement<{ id: string }>(
  'count_fault_of_closed_message',
  `update messages
   set finish_tries = $5, finish_error = $6, quarantined_at = $8,
       due_at = case when $8::timestamptz is null then coalesce($7, due_at) end,
       lease = case when $8::timestamptz is null then lease end,
       code = case when $8::timestamptz is null then code end
   where workspace_id = $1 and id = $2 and lease is not distinct from $3 and finish_tries = $4 and due_at is not null
   returning id`,
)

/**
 * Counts faults of a claimed message whose window has closed and whose end could not be stored. Never throws: the lease
 * ends in any case.
 */
export async function countUnstoredOutcome(
  { db, clock, log, metrics }: Pick<Parts, 'db' | 'clock' | 'log' | 'metrics'>,
  { id, workspaceId, lease, submitBy, finishTries: tries }: ClaimedMessage,
  error: unknown,
): Promise<void> {
  const now = clock.now()
  if (now < submitBy || isDatabaseUnavailable(error)) return
  const fault = decideRetry(error, { tries, now })
  try {
    const counted = await countFault(db, { workspace_id: workspaceId, id, lease, tries }, { ...fault, retryAt: null })
    if (counted.length > 0) metrics.stuckWork.inc({ work: 'message', outcome: fault.outcome })
  } catch (error) {
    log.error({ err: error, messageId: id }, 'the failure of a message could not be counted')
  }
}
