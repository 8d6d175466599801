import { type Sql, statement } from '../db.ts'
import type { Parts } from '../parts.ts'

export type SenderOf = { workspaceId: string; senderId: string }

const pause = statement<{ id: string }>(
  'pause_sender',
  `update senders set paused_at = coalesce(paused_at, $3) where workspace_id = $1 and id = $2 returning id`,
)

const resume = statement<{ id: string }>(
  'resume_sender',
  'update senders set paused_at = null where workspace_id = $1 and id = $2 returning id',
)

/** For the command line, which names a sender alone. */
export async function findWorkspaceOf(sql: Sql, senderId: string): Promise<string | undefined> {
  return (await sql.row(selectWorkspaceOf, [senderId]))?.workspaceId
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_sender',
  'select workspace_id as "workspaceId" from senders where id = $1',
)

/** What is accepted already waits until its window closes. False when the workspace has no such sender. */
export async function pauseSender(sql: Sql, { workspaceId, senderId }: SenderOf, now: Date): Promise<boolean> {
  return (await sql.row(pause, [workspaceId, senderId, now])) !== undefined
}

/** False when the workspace has no such sender. */
export async function resumeSender(
  { db, wake }: Pick<Parts, 'wake'> & { db: Sql },
  { workspaceId, senderId }: SenderOf,
): Promise<boolean> {
  const found = (await db.row(resume, [workspaceId, senderId])) !== undefined
  if (found) wake('submit')
  return found
}
