import type { Clock } from '../clock.ts'
import { type Db, type Sql, statement } from '../db.ts'
import { newId } from '../ids.ts'
import { WorkspaceUnknown } from './keys.ts'
import { DEFAULT_MONTHLY_UNITS, QUOTA_KINDS } from './quota.ts'
import { setAllowance } from './allowances.ts'

const insertWorkspace = statement(
  'insert_workspace',
  'insert into workspaces (id, name, sandbox, created_at) values ($1, $2, $3, $4)',
)

export type NewWorkspace = { name: string; sandbox: boolean }

/** With the allowances that every workspace begins with (contract §8). `alongside` runs in the same transaction. */
export async function createWorkspace(
  { db, clock }: { db: Db; clock: Clock },
  { name, sandbox }: NewWorkspace,
  alongside?: (tx: Sql, workspaceId: string) => Promise<void>,
): Promise<{ workspaceId: string }> {
  const workspaceId = newId()
  await db.transaction(async (tx) => {
    await tx.rows(insertWorkspace, [workspaceId, name, sandbox, clock.now()])
    for (const kind of QUOTA_KINDS) await setAllowance(tx, { workspaceId, kind, monthlyUnits: DEFAULT_MONTHLY_UNITS })
    await alongside?.(tx, workspaceId)
  })
  return { workspaceId }
}

const findWorkspace = statement<{ id: string }>('find_workspace', 'select id from workspaces where id = $1')

/** Throws WorkspaceUnknown. */
export async function workspaceMustExist(sql: Sql, workspaceId: string): Promise<void> {
  if (!(await sql.row(findWorkspace, [workspaceId]))) throw new WorkspaceUnknown(workspaceId)
}

export type Workspace = { workspaceId: string; name: string; sandbox: boolean; createdAt: Date }

const getWorkspaceOf = statement<Workspace>(
  'get_workspace',
  `select id as "workspaceId", name, sandbox, created_at as "createdAt" from workspaces where id = $1`,
)

/** Throws WorkspaceUnknown. */
export async function getWorkspace(sql: Sql, workspaceId: string): Promise<Workspace> {
  const found = await sql.row(getWorkspaceOf, [workspaceId])
  if (!found) throw new WorkspaceUnknown(workspaceId)
  return found
}

const setName = statement('rename_workspace', 'update workspaces set name = $2 where id = $1')

export const renameWorkspace = async (
  sql: Sql,
  { workspaceId, name }: { workspaceId: string; name: string },
): Promise<void> => {
  await sql.rows(setName, [workspaceId, name])
}
