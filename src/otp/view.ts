import { z } from 'zod'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { MESSAGE_STATUSES } from '../messages/status.ts'
import type { MessageRow } from '../messages/subscribers.ts'
import { integer, recipient } from '../lib/http/fields.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'

export const messageId = z.uuid().meta({ description: 'The id of the message; `GET` reads its status.' })

export const otpReference = z
  .string()
  .nullable()
  .meta({ description: 'The `reference` of the request; null without one.' })

export const DELIVER_WITHIN_SECONDS = { min: 10, max: 3_600 } as const

/** For the body of a POST that sends a code. */
export const deliverWithinSeconds = integer(DELIVER_WITHIN_SECONDS.min, DELIVER_WITHIN_SECONDS.max).optional().meta({
  description:
    'If no delivery is reported within this many seconds after the request was accepted, `message.undelivered` goes out once, so that your backend can use another channel.',
})

/** An OTP message in status responses and events. It never contains the code (docs/otp.md#the-code). */
export const otpStatusSchema = z
  .strictObject({
    messageId,
    status: z.enum(MESSAGE_STATUSES).meta({
      description:
        '`queued`: accepted; `sending`: an attempt was made; `sent`, `delivered`, `read`, `played`: as WhatsApp reported; `failed`: see `failure`. `accepted` and `received` are reserved. None means that the customer has verified the code.',
    }),
    reference: otpReference,
    to: recipient,
    createdAt: z.iso.datetime().meta({ description: 'When the request was accepted.' }),
    sentAt: z.iso.datetime().nullable().meta({
      description:
        'The earliest time at which the message was sent, delivered, read or played, as WhatsApp reported; never before `createdAt`. Null until then.',
    }),
    deliverWithinSeconds: z.int().nullable().meta({
      description: 'The `deliverWithinSeconds` of the request; null without one.',
    }),
    undeliveredAt: z.iso.datetime().nullable().meta({
      description:
        'When `message.undelivered` went out, because no delivery had been reported by then; a later delivery does not clear it. Null if it did not.',
    }),
    failure: failureSchema.nullable().meta({
      description: 'Why the message failed. Null unless `status` is `failed`; a later report of success clears it.',
    }),
  })
  .meta({ id: 'OtpMessage' })

type OtpRow = Pick<
  MessageRow,
  | 'id'
  | 'status'
  | 'reference'
  | 'recipient'
  | 'created_at'
  | 'sent_at'
  | 'deliver_within_seconds'
  | 'undelivered_event_at'
  | 'failure_code'
>

export const otpView = (row: OtpRow): z.infer<typeof otpStatusSchema> => ({
  messageId: row.id,
  status: row.status,
  reference: row.reference,
  to: row.recipient,
  createdAt: row.created_at.toISOString(),
  sentAt: row.sent_at?.toISOString() ?? null,
  deliverWithinSeconds: row.deliver_within_seconds,
  undeliveredAt: row.undelivered_event_at?.toISOString() ?? null,
  failure: row.failure_code && failureView(row.failure_code),
})

const selectOtp: Statement<OtpRow> = statement(
  'find_otp_message',
  `select id, status, reference, recipient, created_at, sent_at, deliver_within_seconds, undelivered_event_at, failure_code
   from messages where workspace_id = $1 and id = $2 and kind = 'otp'`,
)

export async function findOtp(sql: Sql, workspaceId: string, messageId: string) {
  const row = await sql.row(selectOtp, [workspaceId, messageId])
  return row && otpView(row)
}
