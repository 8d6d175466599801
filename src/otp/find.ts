import { type Sql, type Statement, statement } from '../db.ts'
import type { OtpRow } from './view.ts'

const findOtpMessage: Statement<OtpRow> = statement(
  'find_otp_message',
  `select id, status, reference, recipient, created_at, sent_at, failure_code
   from messages where workspace_id = $1 and id = $2 and kind = 'otp'`,
)

export const findOtp = (sql: Sql, workspaceId: string, messageId: string): Promise<OtpRow | undefined> =>
  sql.row(findOtpMessage, [workspaceId, messageId])
