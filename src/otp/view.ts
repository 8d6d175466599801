import { z } from 'zod'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { OTP_STATUSES } from '../messages/status.ts'
import type { MessageRow } from '../messages/subscribers.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'

/** An OTP message in status responses and events. It never contains the code (docs/otp.md#the-code). */
export const otpStatusSchema = z
  .strictObject({
    messageId: z.uuid(),
    status: z.enum(OTP_STATUSES),
    reference: z.string().nullable(),
    to: z.string(),
    createdAt: z.iso.datetime(),
    sentAt: z.iso.datetime().nullable(),
    failure: failureSchema.nullable(),
  })
  .meta({ id: 'OtpMessage' })

type OtpRow = Pick<MessageRow, 'id' | 'status' | 'reference' | 'recipient' | 'created_at' | 'sent_at' | 'failure_code'>

export const otpView = (row: OtpRow): z.infer<typeof otpStatusSchema> => ({
  messageId: row.id,
  status: row.status,
  reference: row.reference,
  to: row.recipient,
  createdAt: row.created_at.toISOString(),
  sentAt: row.sent_at?.toISOString() ?? null,
  failure: row.failure_code && failureView(row.failure_code),
})

const selectOtp: Statement<OtpRow> = statement(
  'find_otp_message',
  `select id, status, reference, recipient, created_at, sent_at, failure_code
   from messages where workspace_id = $1 and id = $2 and kind = 'otp'`,
)

export async function findOtp(sql: Sql, workspaceId: string, messageId: string) {
  const row = await sql.row(selectOtp, [workspaceId, messageId])
  return row && otpView(row)
}
