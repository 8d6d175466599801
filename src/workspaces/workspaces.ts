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

/** With the allowances that every workspace begins with (contract §8). */
export async function createWorkspace(
  { db, clock }: { db: Db; clock: Clock },
  { name, sandbox }: NewWorkspace,
): Promise<{ workspaceId: string }> {
  const workspaceId = newId()
  await db.transaction(async (tx) => {
    await tx.rows(insertWorkspace, [workspaceId, name, sandbox, clock.now()])
    for (const kind of QUOTA_KINDS) await setAllowance(tx, { workspaceId, kind, monthlyUnits: DEFAULT_MONTHLY_UNITS })
  })
  return { workspaceId }
}

const findWorkspace = statement<{ id: string }>('find_workspace', 'select id from workspaces where id = $1')

/** Throws WorkspaceUnknown. */
export async function workspaceMustExist(sql: Sql, workspaceId: string): Promise<void> {
  if (!(await sql.row(findWorkspace, [workspaceId]))) throw new WorkspaceUnknown(workspaceId)
}
