import { type Sql, type Statement, statement } from '../db.ts'
import { type ConfirmationRow, type ConfirmationView, type RefusalRow, confirmationView } from './view.ts'

type FoundRow = ConfirmationRow & {
  refusal_status: RefusalRow['status'] | null
  reason: string | null
  note: string | null
  refusal_answered_at: Date | null
  refusal_failure_code: RefusalRow['failure_code']
  refusal_failed_at: Date | null
}

const findConfirmationWithCheck: Statement<FoundRow> = statement(
  'find_confirmation',
  `select c.id, c.reference, c.recipient, c.created_at, c.status, c.answered_at, c.reschedule, c.failure_code, c.failed_at,
          f.status as refusal_status, f.reason, f.note, f.answered_at as refusal_answered_at,
          f.failure_code as refusal_failure_code, f.failed_at as refusal_failed_at
   from confirmations c
   left join lateral (
     select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true
   where c.workspace_id = $1 and c.id = $2`,
)

export async function findConfirmation(
  sql: Sql,
  workspaceId: string,
  confirmationId: string,
): Promise<ConfirmationView | undefined> {
  const row = await sql.row(findConfirmationWithCheck, [workspaceId, confirmationId])
  return row && confirmationView(row, refusalOf(row))
}

const refusalOf = (row: FoundRow): RefusalRow | null =>
  row.refusal_status && {
    status: row.refusal_status,
    reason: row.reason,
    note: row.note,
    answered_at: row.refusal_answered_at,
    failure_code: row.refusal_failure_code,
    failed_at: row.refusal_failed_at,
  }
