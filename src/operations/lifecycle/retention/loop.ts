import { setTimeout as wait } from 'node:timers/promises'
import { HOUR_MS, MINUTE_MS, later } from '../../../lib/clock.ts'
import { type Db, statement } from '../../../lib/db/pool.ts'
import type { Loop } from '../../../runtime/jobs/loop.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { type FindUncountedSince, findCutoff, retentionSteps } from './due.ts'
import type { Permit, RemovalGuard } from './guard.ts'
import { keptDays } from './hold.ts'
import { MAX_ROWS, type Position, type Step } from './step.ts'

/** After a round in which no step had a full page. */
const POLL_MS = 5 * MINUTE_MS
/** A row that was in use: its conversation runs, or a delivery waits. */
const POSTPONED_MS = HOUR_MS
/**
 * The pause after a step that removed something is this many times as long as the step, so that sending comes first. Measured in
 * docs/decisions/0017-removal-in-steps.md.
 */
const PAUSES_PER_STEP = 3
/** The same for a step that has fallen behind: with longer pauses, more rows would come each day than are removed. */
const PAUSES_WHEN_BEHIND = 2
/** Three polls, between which rows gather. */
const MAX_LAG_MS = 3 * POLL_MS
const MAX_PAUSE_MS = 1_000

type RetentionParts = Pick<Parts, 'db'> & { guard: RemovalGuard; findUncountedSince: FindUncountedSince }

/**
 * Removes what is older than the settings say (docs/retention.md), the oldest first. A turn is one step on one kind of row,
 * in one transaction that waits for no lock. If a node dies, nothing is lost: the position of each step is in the database.
 */
export function retentionLoop({ db, guard, findUncountedSince }: RetentionParts): Loop {
  let next = 0
  let isMore = false
  return {
    name: 'retention',
    pollMs: POLL_MS,
    async turn() {
      const permit = await guard.check()
      const steps = retentionSteps.filter((each) => permit && keptDays(permit.keep, each.class) > 0)
      const step = steps[next] ?? steps[0]
      if (!permit || !step) {
        next = 0
        return { more: false }
      }
      if (step === steps[0]) {
        next = 0
        // Each time: after an asynchronous failover the rows may be missing.
        await db.rows(openSteps, [steps.map(({ name }) => name), steps.map((each) => each.class)])
        isMore = false
      }
      next = (next + 1) % steps.length
      const began = performance.now()
      const cutoff = await findCutoff(db, step.class, { ...permit, findUncountedSince })
      const { removed, more, isBehind } = await runStep(db, step, { now: permit.now, cutoff })
      isMore ||= more
      const pauses = isBehind ? PAUSES_WHEN_BEHIND : PAUSES_PER_STEP
      if (removed > 0) await wait(Math.min(MAX_PAUSE_MS, pauses * (performance.now() - began)))
      return { more: isMore || next !== 0 }
    },
  }
}

const openSteps = statement(
  'open_retention_steps',
  `insert into retention (step, class) select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
)

/** Looks at the next rows, or at some that were postponed. Another node that works on this step has its row locked. */
async function runStep(
  db: Db,
  step: Step,
  { now, cutoff }: Pick<Permit, 'now'> & { cutoff: Date },
): Promise<{ removed: number; more: boolean; isBehind?: boolean }> {
  return db.transaction(async (tx) => {
    const row = await tx.row(lockStep, [step.name])
    if (!row) return { removed: 0, more: false }
    const postponed = (await tx.rows(selectPostponed, [step.name, now])).map(({ id }) => id)
    if (postponed.length > 0) {
      const removed = await step.remove(tx, postponed, cutoff)
      const inUse = without(await step.existing(tx, postponed), removed)
      await tx.rows(endPostponement, [step.name, without(postponed, inUse)])
      await tx.rows(postpone, [step.name, inUse, later(now, POSTPONED_MS)])
      return { removed: removed.length, more: true }
    }
    const { id, at } = row
    const after: Position | undefined = id === null || at === null ? undefined : { id, at }
    const { seen, last, ids } = await step.page(tx, after, cutoff)
    if (!last) return { removed: 0, more: false }
    const removed = ids.length === 0 ? [] : await step.remove(tx, ids, cutoff)
    const inUse = without(ids, removed)
    if (inUse.length > 0) await tx.rows(postpone, [step.name, inUse, later(now, POSTPONED_MS)])
    await tx.rows(advance, [step.name, last.id, last.at])
    const more = seen === step.maxRows
    return { removed: removed.length, more, isBehind: more && new Date(last.at) < later(cutoff, -MAX_LAG_MS) }
  })
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const left = new Set(ids)
  for (const id of others) left.delete(id)
  return [...left]
}

const lockStep = statement<{ id: string | null; at: string | null }>(
  'lock_retention_step',
  'select position as id, kept_since::text as at from retention where step = $1 for update skip locked',
)

/** What is kept begins where the removal ends: both commit together. */
const advance = statement(
  'advance_retention_step',
  'update retention set position = $2, kept_since = $3 where step = $1',
)

const selectPostponed = statement<{ id: string }>(
  'select_postponed_retention',
  `select id from retention_postponed where step = $1 and due_at <= $2 order by id limit ${MAX_ROWS}`,
)

const endPostponement = statement(
  'end_postponed_retention',
  'delete from retention_postponed where step = $1 and id = any ($2::uuid[])',
)

const postpone = statement(
  'postpone_retention',
  `insert into retention_postponed (step, id, due_at) select $1, id, $3 from unnest($2::uuid[]) as id
   on conflict (step, id) do update set due_at = excluded.due_at`,
)
