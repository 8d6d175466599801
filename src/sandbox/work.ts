import { DAY_MS, SECOND_MS, later } from '../lib/clock.ts'
import { type Sql, type Statement, isConflict, isDatabaseUnavailable, statement } from '../lib/db/pool.ts'
import { UserError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Loop } from '../runtime/jobs/loop.ts'
import type { Parts } from '../runtime/parts.ts'
import { lockWorkspace } from '../workspaces/workspaces.ts'
import { createEmptier } from './empty.ts'
import { fillMonth } from './month/fill.ts'
import { ensureShopSettings } from './month/settings.ts'
import { mustBeSandbox, shiftClock } from './move-clock.ts'
import { LostLease, type SandboxWork, WORK_LEASE_MS } from './work-lease.ts'

export type SandboxProgress = {
  kind: 'fill' | 'empty'
  /** Of a fill, in the workspace's time: when its month begins and ends. */
  fromAt: Date | null
  untilAt: Date | null
}

const POLL_MS = 2 * SECOND_MS
const AFTER_FAULT_MS = 5 * SECOND_MS

const selectWork = statement<SandboxProgress>(
  'find_sandbox_work',
  `select kind, from_at as "fromAt", requested_at + until_offset_ms * interval '1 ms' as "untilAt"
   from sandbox_work where workspace_id = $1`,
)

/** Returns undefined if nothing is being done. */
export const findSandboxWork = (sql: Sql, workspaceId: string): Promise<SandboxProgress | undefined> =>
  sql.row(selectWork, [workspaceId])

/** Throws UserError while the sandbox is being filled or emptied: its clock and its rows are not the caller's then. */
export async function mustBeFree(sql: Sql, workspaceId: string): Promise<void> {
  const work = await sql.row(selectWork, [workspaceId])
  if (work) throw new UserError({ code: `sandbox.busy_${work.kind}` })
}

const insertWork = statement(
  'request_sandbox_work',
  `insert into sandbox_work (workspace_id, kind, requested_at, due_at, from_at, done_until, until_offset_ms)
   values ($1, $2, $3, $3, $4, $4, $5)`,
)

const selectHasSent = statement<{ has: boolean }>(
  'has_sandbox_sent',
  `select exists (select from messages where workspace_id = $1) or exists (select from confirmations where workspace_id = $1)
     or exists (select from events where workspace_id = $1) as has`,
)

/** Whether anything was sent. Only an empty sandbox can be filled. */
export const hasSent = async (db: Sql, workspaceId: string): Promise<boolean> =>
  (await db.row(selectHasSent, [workspaceId]))?.has ?? false

/**
 * Requests a demo month, or its last `days`, in an empty sandbox. Its clock goes back at once; the loop makes the month. Throws UserError. Call
 * `openShop` before the transaction: it asks the emulator.
 */
export async function requestFill(
  tx: Sql,
  { clock }: Pick<Parts, 'clock'>,
  { workspaceId, days }: { workspaceId: string; days: number },
): Promise<void> {
  const workspace = await lockWorkspace(tx, workspaceId)
  mustBeSandbox(workspace)
  await mustBeFree(tx, workspaceId)
  if (await hasSent(tx, workspaceId)) throw new UserError({ code: 'sandbox.not_empty' })
  await ensureShopSettings(tx, clock, workspaceId)
  const now = clock.now()
  const { clockOffsetMs } = workspace
  const backMs = days * DAY_MS
  await shiftClock(tx, workspaceId, { moved_at: now, by_ms: -backMs })
  await tx.rows(insertWork, [workspaceId, 'fill', now, later(now, clockOffsetMs - backMs), clockOffsetMs])
}

/** Requests the removal of everything that was sent. Ends a fill. Throws UserError. */
export async function requestEmptying(tx: Sql, { clock }: Pick<Parts, 'clock'>, workspaceId: string): Promise<void> {
  const workspace = await lockWorkspace(tx, workspaceId)
  mustBeSandbox(workspace)
  if ((await tx.row(selectWork, [workspaceId]))?.kind === 'empty') throw new UserError({ code: 'sandbox.busy_empty' })
  await tx.rows(replaceWork, [workspaceId, clock.now(), workspace.clockOffsetMs])
}

/** A fill that is replaced loses its lease: its clock still goes where the month would have ended. */
const replaceWork = statement(
  'request_emptying_of_sandbox',
  `insert into sandbox_work as w (workspace_id, kind, requested_at, due_at, until_offset_ms) values ($1, 'empty', $2, $2, $3)
   on conflict (workspace_id) do update
   set kind = 'empty', requested_at = $2, due_at = $2, lease = null, from_at = null, done_until = null`,
)

const takeWork: Statement<SandboxWork> = statement(
  'take_sandbox_work',
  `update sandbox_work set lease = $2, due_at = $3
   where workspace_id = (
     select workspace_id from sandbox_work s
     where due_at <= $1 and exists (select from workspaces w where w.id = s.workspace_id and w.deleted_at is null)
     order by due_at limit 1 for update skip locked)
   returning workspace_id as "workspaceId", lease, kind, from_at as "fromAt", done_until as "doneUntil",
     until_offset_ms as "untilOffsetMs"`,
)

const postpone = statement(
  'postpone_sandbox_work',
  'update sandbox_work set due_at = $3, lease = null where workspace_id = $1 and lease = $2',
)

/** Fills and empties sandboxes, a second at a time. A dead node loses its lease, and another one continues with what is stored. */
export function sandboxLoop(parts: Parts): Loop {
  const { db, clock, log } = parts
  const empty = createEmptier(parts)
  return {
    name: 'sandbox',
    pollMs: POLL_MS,
    async turn(stop) {
      const now = clock.now()
      const work = await db.row(takeWork, [now, newId(), later(now, WORK_LEASE_MS)])
      if (!work) return { more: false, idle: true }
      const { workspaceId, lease } = work
      try {
        const isOver = work.kind === 'fill' ? await fillMonth(parts, work, stop) : await empty(work)
        if (!isOver) await db.rows(postpone, [workspaceId, lease, clock.now()])
        return { more: true }
      } catch (error) {
        if (error instanceof LostLease) return { more: true }
        if (isDatabaseUnavailable(error)) throw error
        // Another transaction held a row for a second: the retry is all that it takes.
        const level = isConflict(error) ? 'info' : 'warn'
        log[level](
          { err: error, workspaceId },
          'a step of a sandbox that is being filled or emptied failed and will be retried',
        )
        await db.rows(postpone, [workspaceId, lease, later(clock.now(), AFTER_FAULT_MS)])
        return { more: false }
      }
    },
  }
}
