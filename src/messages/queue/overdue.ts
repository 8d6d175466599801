import { SECOND_MS } from '../../lib/clock.ts'
import { batch, newestFirst, statement } from '../../lib/db/pool.ts'
import { type EventParts, withEvents } from '../../events/record.ts'
import { type DueItem, createBatchLoop } from '../../runtime/jobs/batch-loop.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import { FROM_BEGINNING } from '../../runtime/jobs/search-start.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { failureAtClose } from './decide.ts'
import { countFault } from './quarantine.ts'
import { recordInterrupted } from './claim.ts'
import { OTP_PRIORITY } from './lock-due.ts'
import { waitingSince } from './lock-senders.ts'
import { applyReports, ownFailure } from '../reports/apply.ts'
import type { Subscribers } from '../subscribers.ts'

/** How many overdue messages of each sender are failed at a time, and of all senders: their events are recorded in the same transaction. */
const MAX_MESSAGES = 100
const MAX_OF_ALL = 500
/** How many of a sender's due codes are searched for them, oldest first: a short window may close before those of older codes. */
const MAX_SEARCHED = 5_000

type OverdueParts = EventParts &
  Pick<Parts, 'clock' | 'live' | 'log' | 'searchStarts'> & {
    subscribers: Subscribers
  }

/**
 * Fails messages whose window closed behind an open breaker, a pause or an invalid token; claims find all others. Searches only
 * the oldest of each sender, so that a long queue costs little.
 */
export function overdueLoop(parts: OverdueParts): Loop {
  const { metrics, subscribers } = parts
  return createBatchLoop<Overdue, void>(withEvents(parts), {
    name: 'overdue',
    pollMs: SECOND_MS,
    maxItems: MAX_MESSAGES,
    take(tx, now) {
      const { since, older } = (parts.searchStarts ?? FROM_BEGINNING).messages
      return tx.rows(findOverdue, [now, since, batch(older)])
    },
    retake: (tx, { workspace_id, id }, now) => tx.rows(lockOverdue, [workspace_id, id, now]),
    async process(tx, overdue, now) {
      await recordInterrupted(tx, overdue, now)
      const failures = overdue.map((message) =>
        ownFailure({ id: message.id, workspaceId: message.workspace_id }, failureAtClose(message), now),
      )
      await applyReports({ tx, subscribers }, now, failures)
    },
    storeFault: countFault,
    countFaults: (outcome, faults) => metrics.stuckWork.inc({ work: 'message', outcome }, faults),
  })
}

type Overdue = DueItem & { lease: string | null; lastFailureCode: FailureCode | null; attemptIsOpen: boolean }

/** Columns of the row o. */
const COLUMNS = `o.id, o.workspace_id, o.lease, o.last_failure_code as "lastFailureCode",
     o.attempted_at is not null as "attemptIsOpen", o.finish_tries as tries`

const findOverdue = statement<Overdue>(
  'find_overdue_messages',
  `${waitingSince('$2', '$3')}, blocked as materialized (
     select w.* from waiting w
     cross join lateral (select * from senders where id = w.sender_id limit 1) s
     cross join lateral (
       select * from sender_pace where ${newestFirst('sender_id', 'w.sender_id')} order by sender_id desc limit 1) p
     cross join lateral (select * from provider_accounts where workspace_id = s.workspace_id and id = s.account_id limit 1) a
     where w.due_at <= $1 and (p.breaker_open_until > $1 or s.paused_at is not null or a.status <> 'connected')
   )
   select ${COLUMNS}
   from blocked b
   cross join lateral (
     select oldest.workspace_id, oldest.id from (
       select m.workspace_id, m.id, m.submit_by from messages m
       where m.sender_id = b.sender_id and m.priority = b.priority and m.due_at between b.due_at and $1
       order by m.due_at limit case b.priority when ${OTP_PRIORITY} then ${MAX_SEARCHED} else ${MAX_MESSAGES} end) oldest
     where oldest.submit_by <= $1 limit ${MAX_MESSAGES}) found
   cross join lateral (
     select * from messages m
     where m.workspace_id = found.workspace_id and m.id = found.id and m.due_at <= $1 and m.submit_by <= $1
     limit 1 for no key update skip locked) o
   limit ${MAX_OF_ALL}`,
)

const lockOverdue = statement<Overdue>(
  'lock_overdue_message',
  `select ${COLUMNS} from messages o
   where workspace_id = $1 and id = $2 and due_at <= $3 and submit_by <= $3 for no key update skip locked`,
)
