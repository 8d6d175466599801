import { type EventParts, withEvents } from '../../events/record.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { type DueItem, createBatchLoop } from '../../runtime/jobs/batch-loop.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Parts } from '../../runtime/parts.ts'
import { expire } from './decide.ts'
import { lockVerifications, storeVerifications } from './store.ts'

type ExpiryParts = EventParts & Pick<Parts, 'clock' | 'live' | 'log'>

const MAX_EXPIRED = 200
/** How late the event of an expired verification may be: nothing wakes the loop for it. Checks compare the time themselves. */
const POLL_MS = SECOND_MS
/** After the last try: a verification is not quarantined, because it is over for every check. */
const AFTER_LAST_TRY_MS = 3_600 * SECOND_MS

/** Ends the verifications whose time has passed. */
export function expiryLoop(parts: ExpiryParts): Loop {
  return createBatchLoop<DueItem, void>(withEvents(parts), {
    name: 'verifications',
    pollMs: POLL_MS,
    maxItems: MAX_EXPIRED,
    take: (tx, now) => tx.rows(dueVerifications, [now, MAX_EXPIRED]),
    retake: (_, verification) => Promise.resolve([verification]), // ending it locks it
    process: expireVerifications,
    storeFault: (db, { workspace_id, id, tries: earlier }, { tries, retryAt }) =>
      db.rows(countFault, [workspace_id, id, earlier, tries, retryAt ?? later(parts.clock.now(), AFTER_LAST_TRY_MS)]),
    countFaults: (outcome, faults) => parts.metrics.stuckWork.inc({ work: 'verification', outcome }, faults),
  })
}

/** Ends those that are still pending. Also called for the verifications of an erased person. */
export async function expireVerifications(
  tx: Sql,
  verifications: readonly Pick<DueItem, 'id' | 'workspace_id'>[],
  now: Date,
): Promise<void> {
  const named = verifications.map(({ id, workspace_id: workspaceId }) => ({ id, workspaceId }))
  const locked = await lockVerifications(tx, named)
  const pending = [...locked.values()].filter(({ status }) => status === 'pending')
  const ended = pending.map((each) => expire(each, later(now, each.clockOffsetMs)))
  await storeVerifications(tx, now, ended)
}

/** Skips those that another transaction has locked, such as one that is being checked. */
const dueVerifications: Statement<DueItem> = statement(
  'take_due_verifications',
  `select id, workspace_id, tries from otp_verifications
   where due_at <= $1 order by due_at limit $2 for no key update skip locked`,
)

const countFault: Statement<object> = statement(
  'count_fault_of_verification',
  `update otp_verifications set tries = $4, due_at = $5
   where workspace_id = $1 and id = $2 and tries = $3 and due_at is not null returning id`,
)
