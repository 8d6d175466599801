import { type Sql, type Statement, isDatabaseUnavailable, statement } from '../db.ts'
import { transactionWithEvents } from '../events/record.ts'
import type { Loop } from '../jobs/loop.ts'
import type { Parts } from '../parts.ts'
import { type Happening, advance } from './advance.ts'
import { lockCases } from './state.ts'
import { type TimerType, nextTimer } from './timers.ts'

type RingParts = Pick<Parts, 'db' | 'clock' | 'wake' | 'live' | 'log' | 'metrics'>

const TURN_MOST = 200
/** The lateness of a timer that nobody waits for. */
const POLL_MS = 250

/**
 * Rings the timers that are due: reminders, deadlines, expiries. A timer is a hint: the machine looks at the state under
 * its lock and may find that it is not armed any more. A crash loses nothing, since what rang is committed with its effect.
 */
export const timersLoop = (parts: RingParts): Loop => ({
  name: 'timers',
  pollMs: POLL_MS,
  async turn() {
    try {
      return { more: (await ringDue(parts)) === TURN_MOST }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) await ringOneByOne(parts)
      throw error
    }
  },
})

type Due = { workspace_id: string; id: string }

/** Unlocked: advance locks each confirmation and looks again. */
const findDueTimers: Statement<Due> = statement(
  'find_due_timers',
  `(select workspace_id, id from confirmations where timer_due_at <= $1 order by timer_due_at limit $2)
   union
   (select workspace_id, confirmation_id as id from refusal_checks where timer_due_at <= $1 order by timer_due_at limit $2)
   limit $2`,
)

async function ringDue({ db, clock, metrics, wake, live }: RingParts): Promise<number> {
  const rung = await transactionWithEvents({ db, metrics }, async (tx) => {
    const now = clock.now()
    const due = await tx.rows(findDueTimers, [now, TURN_MOST])
    if (due.length > 0) await ring(tx, now, due)
    return due
  })
  if (rung.length > 0) afterRinging({ wake, live }, rung)
  return rung.length
}

/** Some timer at fault must not hold up those of everybody else. */
async function ringOneByOne({ db, clock, metrics, wake, live, log }: RingParts): Promise<void> {
  const now = clock.now()
  const all = await db.rows(findDueTimers, [now, TURN_MOST])
  for (const due of all) {
    try {
      await transactionWithEvents({ db, metrics }, (tx) => ring(tx, now, [due]))
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, confirmationId: due.id }, 'the timer of a confirmation could not be rung')
    }
  }
  afterRinging({ wake, live }, all)
}

function afterRinging({ wake, live }: Pick<RingParts, 'wake' | 'live'>, rung: readonly Due[]): void {
  wake('submit')
  wake('deliver')
  live.changed(rung.map(({ workspace_id }) => workspace_id))
}

async function ring(tx: Sql, now: Date, due: readonly Due[]): Promise<void> {
  const cases = await lockCases(
    tx,
    due.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, confirmationId: id })),
  )
  const happenings = [...cases.values()].flatMap(
    ({ id: confirmationId, workspaceId, confirmation, refusal }): Happening[] => {
      const of = { workspaceId, confirmationId }
      const own = dueTimer(nextTimer(confirmation.state), now)
      const other = refusal ? dueTimer(nextTimer(refusal.state), now) : null
      return [
        ...(own ? [{ ...of, check: 'confirmation' as const, event: own }] : []),
        ...(other ? [{ ...of, check: 'refusal' as const, event: other }] : []),
      ]
    },
  )
  await advance(tx, now, happenings)
}

/** Rings at the time for which it was armed, however late it is heard. */
const dueTimer = (timer: { type: TimerType; at: Date } | null, now: Date): { type: TimerType; at: Date } | null =>
  timer && timer.at <= now ? timer : null
