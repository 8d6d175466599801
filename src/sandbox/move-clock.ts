import type { Clock } from '../lib/clock.ts'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { UserError } from '../lib/errors.ts'
import type { ClockMove } from '../workspaces/clock-moves.ts'
import { recordClockMove } from '../workspaces/workspace-time.ts'
import { type LockedWorkspace, lockWorkspace, unknownWorkspace } from '../workspaces/workspaces.ts'
import { type DueWork, listDueWork, hasBusyWork, findNextDueAt } from './due.ts'

/**
 * Moves a sandbox's clock forward to the next due work, at most by `maxMs`: increases its offset and shifts all due times
 * by the same amount. `due` is the work that is due afterwards. Returns undefined while work is due or running: it must
 * end first. Safe to run concurrently: each move has a transaction of its own, and none skips due work.
 */
export async function moveClock(
  tx: Sql,
  clock: Clock,
  { workspaceId, maxMs }: { workspaceId: string; maxMs: number },
): Promise<{ byMs: number; due: DueWork[] } | undefined> {
  mustBeSandbox(await lockWorkspace(tx, workspaceId))
  const now = clock.now()
  const waiting = await listDueWork(tx, workspaceId, now)
  if (hasBusyWork(waiting)) return undefined
  const next = findNextDueAt(waiting)
  // At least 1: the database stores times more precisely than ms.
  const byMs = next ? Math.min(maxMs, Math.max(1, next.getTime() - now.getTime())) : maxMs
  await shiftClock(tx, workspaceId, { moved_at: now, by_ms: byMs })
  return { byMs, due: await listDueWork(tx, workspaceId, now) }
}

/** Moves the clock with all due times, also back. The caller must have locked the workspace. */
export async function shiftClock(tx: Sql, workspaceId: string, move: ClockMove): Promise<void> {
  for (const shift of shifts) await tx.rows(shift, [workspaceId, move.by_ms])
  await recordClockMove(tx, workspaceId, move)
}

type SandboxClock = Pick<LockedWorkspace, 'workspaceId' | 'sandbox' | 'clockOffsetMs'>

const findClock: Statement<SandboxClock> = statement(
  'find_workspace_clock',
  'select id as "workspaceId", sandbox, clock_offset_ms as "clockOffsetMs" from workspaces where id = $1',
)

/** How far the clock is ahead of the real one, ms. Throws UserError for a live or unknown workspace. */
export async function getSandboxOffset(sql: Sql, workspaceId: string): Promise<number> {
  const workspace = await sql.row(findClock, [workspaceId])
  if (!workspace) throw unknownWorkspace(workspaceId)
  mustBeSandbox(workspace)
  return workspace.clockOffsetMs
}

export function mustBeSandbox({ sandbox, workspaceId }: Pick<SandboxClock, 'sandbox' | 'workspaceId'>): void {
  if (!sandbox) throw new UserError({ code: 'sandbox.live', workspaceId })
}

const WAITING = 'due_at is not null and lease is null'
const TIMERS = ['reminder_at', 'deadline_at', 'follow_up_at', 'timer_retry_at'] as const

/** Times that shift with a workspace's clock. Leased rows are being processed and keep their times. */
export const SHIFTED_COLUMNS = [
  { table: 'messages', columns: ['due_at', 'submit_by'], rows: WAITING },
  { table: 'messages', columns: ['deliver_by'], rows: 'deliver_by is not null', name: 'deadlines_of_messages' },
  { table: 'provider_reports', columns: ['due_at'], rows: 'due_at is not null' },
  { table: 'webhook_deliveries', columns: ['due_at', 'scheduled_at', 'early_at'], rows: WAITING },
  {
    table: 'webhook_endpoints',
    columns: ['failing_since', 'previous_secret_until', 'release_at'],
    rows: 'coalesce(failing_since, previous_secret_until, release_at) is not null',
  },
  { table: 'confirmations', columns: TIMERS, rows: 'timer_due_at is not null' },
  { table: 'refusal_checks', columns: TIMERS, rows: 'timer_due_at is not null' },
  { table: 'otp_verifications', columns: ['due_at'], rows: 'due_at is not null' },
  { table: 'sender_pace', columns: ['breaker_open_until'], rows: 'breaker_open_until is not null', by: 'sender' },
  { table: 'pair_pace', columns: ['free_at'], rows: 'true', by: 'sender' },
] as const satisfies readonly {
  table: string
  columns: readonly string[]
  rows: string
  by?: 'sender'
  name?: string
}[]

const shifts = SHIFTED_COLUMNS.map(({ table, columns, rows, ...more }) =>
  statement(
    `shift_${'name' in more ? more.name : table}`,
    `update ${table} set ${columns.map((column) => `${column} = ${column} - $2 * interval '1 millisecond'`).join(', ')}
     where ${rows} and ${'by' in more ? 'sender_id = any (array (select id from senders where workspace_id = $1))' : 'workspace_id = $1'}`,
  ),
)
