import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { type EventParts, withEvents } from '../../events/record.ts'
import { type DueItem, createBatchLoop } from '../../runtime/jobs/batch-loop.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Check } from '../../messages/conversation.ts'
import { areReportsWaiting } from '../../messages/reports/process.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type ConversationEvent, advance } from './advance.ts'
import { lockConversations } from './store.ts'
import { dueTimer } from './timers.ts'

type TimerParts = EventParts & Pick<Parts, 'clock' | 'live' | 'log'>

const MAX_TIMERS = 200
/** How late a timer may fire: nothing wakes the loop for it. */
const POLL_MS = 250
/** A report that has waited for longer is part of a backlog, which is read first: a customer may have answered before the timer. */
const BACKLOG_AFTER_MS = 2 * SECOND_MS
/** How long a backlog may delay timers. */
const MAX_HELD_MS = 5 * MINUTE_MS
/** A backlog that was not seen for longer is over: turns are at most 20 s apart. */
const MAX_UNSEEN_MS = MINUTE_MS

/**
 * Fires due timers: reminders, deadlines, expiries. A timer is a hint: the machine checks the locked state and may find
 * it no longer armed. A crash loses nothing, since a timer ends when its effect commits.
 */
export function timersLoop(parts: TimerParts): Loop {
  const { metrics, wake } = parts
  let backlog: { since: Date; seenAt: Date } | undefined
  const isHeld = async (tx: Sql, now: Date): Promise<boolean> => {
    const isBacklog = await areReportsWaiting(tx, later(now, -BACKLOG_AFTER_MS))
    const wasSeen = backlog && backlog.seenAt <= now && now < later(backlog.seenAt, MAX_UNSEEN_MS)
    const since = wasSeen && backlog ? backlog.since : now
    backlog = isBacklog ? { since, seenAt: now } : undefined
    return backlog !== undefined && now < later(backlog.since, MAX_HELD_MS)
  }
  return createBatchLoop<DueTimer, void>(withEvents(parts), {
    name: 'timers',
    pollMs: POLL_MS,
    maxItems: MAX_TIMERS,
    take: async (tx, now) => ((await isHeld(tx, now)) ? [] : tx.rows(dueTimers, [now, MAX_TIMERS])),
    retake: (_, timer) => Promise.resolve([timer]), // firing it locks its conversation
    process: fireTimers,
    committed: () => wake('submit'),
    storeFault: (db, timer, { tries, fault, retryAt, quarantinedAt }) => {
      const { workspace_id, id, check_kind, timer_due_at } = timer
      const values = [workspace_id, id, timer.tries, timer_due_at, tries, fault, retryAt, quarantinedAt]
      return db.rows(countFault[check_kind], values)
    },
    countFaults: (outcome, faults) => metrics.stuckWork.inc({ work: 'timer', outcome }, faults),
  })
}

type DueTimer = DueItem & { check_kind: Check; timer_due_at: Date }

/** Each fires with the time for which it was armed, however late. */
async function fireTimers(tx: Sql, timers: readonly DueTimer[], now: Date): Promise<void> {
  const conversations = await lockConversations(
    tx,
    timers.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, confirmationId: id })),
  )
  const events = timers.flatMap(({ id, workspace_id, check_kind: check }): ConversationEvent[] => {
    const state = conversations.get(id)?.[check]?.state
    const event = state && dueTimer(state, now)
    return event ? [{ workspaceId: workspace_id, confirmationId: id, check, event }] : []
  })
  await advance(tx, now, events, conversations)
}

/** A failed timer waits for its next try, a quarantined one for an operator. */
const IS_DUE =
  'timer_due_at <= $1 and timer_quarantined_at is null and (timer_retry_at is null or timer_retry_at <= $1)'

/**
 * Skips confirmations that another transaction has locked, such as one whose customer is answering. A refusal check is
 * locked through its confirmation, in the same order as everywhere.
 */
const dueTimers: Statement<DueTimer> = statement(
  'take_due_timers',
  `select * from (
     select c.workspace_id, c.id, 'confirmation' as check_kind, c.timer_due_at, c.timer_tries as tries
     from confirmations c where ${IS_DUE} order by c.timer_due_at limit $2 for no key update skip locked) of_confirmations
   union all
   select * from (
     select f.workspace_id, f.confirmation_id as id, 'refusal' as check_kind, f.timer_due_at, f.timer_tries as tries
     from (select * from refusal_checks where ${IS_DUE} order by timer_due_at limit $2) f
     cross join lateral (
       select 1 from confirmations c
       where c.workspace_id = f.workspace_id and c.id = f.confirmation_id limit 1 for no key update skip locked) c) of_checks
   order by timer_due_at limit $2`,
)

/** Only if unchanged: the customer may have answered since, which arms another timer. */
const countFaultOf = (table: string, id: string): Statement<object> =>
  statement(
    `count_fault_of_timer_of_${table}`,
    `update ${table} set timer_tries = $5, timer_error = $6, timer_retry_at = $7, timer_quarantined_at = $8
     where workspace_id = $1 and ${id} = $2 and timer_tries = $3 and date_trunc('milliseconds', timer_due_at) = $4
     returning workspace_id`,
  )

const countFault: Readonly<Record<Check, Statement<object>>> = {
  confirmation: countFaultOf('confirmations', 'id'),
  refusal: countFaultOf('refusal_checks', 'confirmation_id'),
}
