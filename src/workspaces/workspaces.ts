import type { Clock } from '../lib/clock.ts'
import { type Sql, UNDEFINED_TABLE, sqlState, statement } from '../lib/db/pool.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { UserError } from '../lib/errors.ts'
import { DEFAULT_MONTHLY_UNITS, QUOTA_KINDS, setQuota } from './quota.ts'

const insertWorkspace = statement(
  'insert_workspace',
  'insert into workspaces (id, name, sandbox, created_at) values ($1, $2, $3, $4)',
)

export type NewWorkspace = { name: string; sandbox: boolean }

/** Creates the default quotas too (docs/api.md#limits). */
export async function createWorkspace(
  tx: Sql,
  clock: Clock,
  { name, sandbox }: NewWorkspace,
): Promise<{ workspaceId: string }> {
  const workspaceId = newId()
  await tx.rows(insertWorkspace, [workspaceId, name, sandbox, clock.now()])
  for (const kind of QUOTA_KINDS) await setQuota(tx, { workspaceId, kind, monthlyUnits: DEFAULT_MONTHLY_UNITS })
  return { workspaceId }
}

export type Workspace = {
  workspaceId: string
  name: string
  sandbox: boolean
  createdAt: Date
  /** Until then its deletion can be cancelled; null when no deletion was requested. */
  deletionDueAt: Date | null
}

const COLUMNS = `id as "workspaceId", name, sandbox, created_at as "createdAt", deletion_due_at as "deletionDueAt"`

const selectWorkspace = statement<Workspace>(
  'get_workspace',
  `select ${COLUMNS} from workspaces where id = $1 and deleted_at is null`,
)

export const unknownWorkspace = (workspaceId: string): UserError =>
  new UserError({ code: 'workspaces.unknown', workspaceId }, 'NOT_FOUND')

/** Throws UserError, also for a deleted one. */
export async function getWorkspace(sql: Sql, workspaceId: string): Promise<Workspace> {
  const workspace = await sql.row(selectWorkspace, [workspaceId])
  if (!workspace) throw unknownWorkspace(workspaceId)
  return workspace
}

export type LockedWorkspace = Pick<Workspace, 'workspaceId' | 'name' | 'sandbox' | 'deletionDueAt'> & {
  /** How far its clock is ahead of the real one. */
  clockOffsetMs: number
}

/** Not "for update", which would block inserts that reference the workspace. */
const selectAndLock = statement<LockedWorkspace>(
  'lock_workspace',
  `select id as "workspaceId", name, sandbox, deletion_due_at as "deletionDueAt", clock_offset_ms as "clockOffsetMs"
   from workspaces where id = $1 and deleted_at is null for no key update`,
)

/** Serializes transactions that change the workspace or add to it. Throws UserError, also for a deleted one. */
export async function lockWorkspace(tx: Sql, workspaceId: string): Promise<LockedWorkspace> {
  const workspace = isUuid(workspaceId) ? await tx.row(selectAndLock, [workspaceId]) : undefined
  if (!workspace) throw unknownWorkspace(workspaceId)
  return workspace
}

/** Far more than an instance has. */
const MAX_WORKSPACES = 1_000

const selectWorkspaces = statement<Workspace>(
  'list_workspaces',
  `select ${COLUMNS} from workspaces where deleted_at is null order by created_at, id limit ${MAX_WORKSPACES}`,
)

/** Every workspace of the instance, for its operator. */
export const listWorkspaces = (sql: Sql): Promise<Workspace[]> => sql.rows(selectWorkspaces)

/** Only columns that each release has. */
const selectWorkspacesOfAnySchema = statement<Pick<Workspace, 'workspaceId' | 'name' | 'sandbox'>>(
  'list_workspaces_of_any_schema',
  `select id as "workspaceId", name, sandbox from workspaces where deleted_at is null order by id limit ${MAX_WORKSPACES}`,
)

/** Also works on a database that an earlier release migrated. Returns none before the first migration. */
export const listWorkspacesOfAnySchema = (sql: Sql): Promise<Pick<Workspace, 'workspaceId' | 'name' | 'sandbox'>[]> =>
  sql.rows(selectWorkspacesOfAnySchema).catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return []
    throw error
  })

const setName = statement('rename_workspace', 'update workspaces set name = $2 where id = $1')

export const renameWorkspace = async (
  sql: Sql,
  { workspaceId, name }: { workspaceId: string; name: string },
): Promise<void> => {
  await sql.rows(setName, [workspaceId, name])
}
