import { type Sql, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { AuditAction } from './actions.ts'

/** A signed-in person, the command line or an agent. */
export type Actor = { userId: string | null; who: string }

export const COMMAND_LINE: Actor = { userId: null, who: 'command line' }

/** An AI agent, through "doorcode mcp". */
export const AGENT: Actor = { userId: null, who: 'agent' }

export type Change = {
  /** Null for a change of the whole instance. */
  workspaceId: string | null
  action: AuditAction
  /** An id or a name. */
  target: string
  /** The changed values. Never a secret, a key, a token, a password or a code. */
  before?: object | null | undefined
  after?: object | null | undefined
}

const insertChange = statement(
  'insert_audit_entry',
  `insert into audit_log (id, workspace_id, at, user_id, who, action, target, before, after)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

/** Records a change. Pass the transaction that makes the change. */
export async function audit(
  sql: Sql,
  { actor, at }: { actor: Actor; at: Date },
  { workspaceId, action, target, before, after }: Change,
): Promise<void> {
  const asJson = (part: object | null | undefined): string | null => (part ? JSON.stringify(part) : null)
  const { userId, who } = actor
  await sql.rows(insertChange, [newId(), workspaceId, at, userId, who, action, target, asJson(before), asJson(after)])
}
