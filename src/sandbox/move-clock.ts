import type { Parts } from '../parts.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import { sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { WorkspaceUnknown } from '../workspaces/keys.ts'
import { type Due, findDueOf, isBusy, nextDueAt } from './due.ts'

/** `busy`: work is due or under way that must be over before the clock may move. */
export type Step = { step: 'busy' } | { step: 'moved'; byMs: number; due: Due[] }

type Moving = {
  workspaceId: string
  mostMs: number
  /** Runs in the transaction of the move. */
  alongside?: ((tx: Sql) => Promise<void>) | undefined
}

/**
 * Moves a sandbox's clock forward to what is due next, at the most by `mostMs`: its offset grows, and whatever is due
 * comes nearer by as much. `due` is what that has made due. Several processes may do this to one clock at once: each step
 * is whole, and none goes past anything that is due.
 */
export const moveClock = (
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  { workspaceId, mostMs, alongside }: Moving,
): Promise<Step> =>
  db.transaction(async (tx) => {
    mustBeSandbox(await tx.row(lockWorkspace, [workspaceId]), workspaceId)
    const now = clock.now()
    const waiting = await findDueOf(tx, workspaceId, now)
    if (isBusy(waiting)) return { step: 'busy' }
    const next = nextDueAt(waiting)
    // At least 1: the database may know an instant more exactly.
    const byMs = next ? Math.min(mostMs, Math.max(1, next.getTime() - now.getTime())) : mostMs
    for (const shift of shifts) await tx.rows(shift, [workspaceId, byMs])
    await tx.rows(recordMove, [workspaceId, now, byMs])
    await tx.rows(addToOffset, [workspaceId, byMs])
    await alongside?.(tx)
    return { step: 'moved', byMs, due: await findDueOf(tx, workspaceId, now) }
  })

type Workspace = { workspace_id: string; sandbox: boolean; clock_offset_ms: number }

const findWorkspace: Statement<Workspace> = statement(
  'find_workspace_with_clock',
  'select id as workspace_id, sandbox, clock_offset_ms from workspaces where id = $1',
)

/** Not "for update": whatever is inserted for the workspace meanwhile need not wait. */
const lockWorkspace: Statement<Workspace> = statement(
  'lock_workspace_with_clock',
  'select id as workspace_id, sandbox, clock_offset_ms from workspaces where id = $1 for no key update',
)

/** How far the clock is ahead of the real one, ms. Throws WorkspaceUnknown, or SetupRefused for a live workspace. */
export async function getSandboxOffset(sql: Sql, workspaceId: string): Promise<number> {
  return mustBeSandbox(await sql.row(findWorkspace, [workspaceId]), workspaceId).clock_offset_ms
}

export const isSandbox = async (sql: Sql, workspaceId: string): Promise<boolean> =>
  (await sql.row(findWorkspace, [workspaceId]))?.sandbox ?? false

function mustBeSandbox(workspace: Workspace | undefined, workspaceId: string): Workspace {
  if (!workspace) throw new WorkspaceUnknown(workspaceId)
  if (workspace.sandbox) return workspace
  throw new SetupRefused(says.live({ workspaceId }))
}

const says = sentences({
  live: {
    en: 'The workspace {workspaceId} is a live one, whose clock never moves: make another with "workspace create --sandbox".',
    ar: 'مساحة العمل {workspaceId} فعلية ولا تتحرك ساعتها أبدًا: أنشئ مساحة تجريبية.',
  },
})

/** What is counted in real time and moves with a workspace's clock. What is leased is under way and ends in real time. */
export const MOVING = [
  { table: 'messages', columns: ['due_at', 'submit_by'], rows: 'due_at is not null and lease is null' },
  { table: 'provider_reports', columns: ['due_at'], rows: 'due_at is not null' },
  { table: 'webhook_deliveries', columns: ['due_at'], rows: 'due_at is not null and lease is null' },
  {
    table: 'webhook_endpoints',
    columns: ['failing_since', 'previous_secret_until'],
    rows: 'coalesce(failing_since, previous_secret_until) is not null',
  },
  {
    table: 'confirmations',
    columns: ['reminder_at', 'deadline_at', 'follow_up_at'],
    rows: 'timer_due_at is not null',
  },
  {
    table: 'refusal_checks',
    columns: ['reminder_at', 'deadline_at', 'follow_up_at'],
    rows: 'timer_due_at is not null',
  },
  { table: 'sender_pace', columns: ['held_until'], rows: 'held_until is not null', by: 'sender' },
  { table: 'pair_pace', columns: ['free_at'], rows: 'true', by: 'sender' },
] as const satisfies readonly { table: string; columns: readonly string[]; rows: string; by?: 'sender' }[]

const shifts = MOVING.map(({ table, columns, rows, ...more }) =>
  statement(
    `shift_${table}`,
    `update ${table} set ${columns.map((column) => `${column} = ${column} - $2 * interval '1 millisecond'`).join(', ')}
     where ${rows} and ${'by' in more ? 'sender_id = any (array (select id from senders where workspace_id = $1))' : 'workspace_id = $1'}`,
  ),
)

const recordMove = statement(
  'record_clock_move',
  `insert into clock_moves as m (workspace_id, moved_at, by_ms) values ($1, $2, $3)
   on conflict (workspace_id, moved_at) do update set by_ms = m.by_ms + excluded.by_ms`,
)

const addToOffset = statement(
  'move_workspace_clock',
  'update workspaces set clock_offset_ms = clock_offset_ms + $2 where id = $1 returning id as workspace_id',
)
