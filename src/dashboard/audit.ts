import { type Sql, statement } from '../db.ts'
import { newId } from '../ids.ts'

/** Who changes something: a person who signed in, or whoever runs a command. */
export type Actor = { userId: string | null; who: string }

export const COMMAND_LINE: Actor = { userId: null, who: 'command line' }

export type Change = {
  /** Null: of the whole instance. */
  workspaceId: string | null
  /** `noun.past`, such as `key.created`. */
  action: string
  /** What was changed, by the id or the name that people know it by. */
  target: string
  /** What of it was changed. Never a secret, a key, a token, a password or a code. */
  before?: object | null | undefined
  after?: object | null | undefined
}

const insertChange = statement(
  'insert_audit_entry',
  `insert into audit_log (id, workspace_id, at, user_id, who, action, target, before, after)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

/** Writes down a change, in the transaction that makes it wherever there is one. */
export async function audit(
  sql: Sql,
  { actor, at }: { actor: Actor; at: Date },
  { workspaceId, action, target, before, after }: Change,
): Promise<void> {
  const asJson = (part: object | null | undefined): string | null => (part ? JSON.stringify(part) : null)
  await sql.rows(insertChange, [
    newId(),
    workspaceId,
    at,
    actor.userId,
    actor.who,
    action,
    target,
    asJson(before),
    asJson(after),
  ])
}
