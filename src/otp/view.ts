import { type FailureCode } from '../providers/provider.ts'
import { failures } from '../providers/failures.ts'
import type { OtpStatus } from './status.ts'

/** What callers see of an OTP message (spec §2.3), in the status response and in events. Never the code. */
export type OtpView = {
  messageId: string
  status: OtpStatus
  reference: string | null
  to: string
  createdAt: string
  sentAt: string | null
  failure: { code: FailureCode; message: string } | null
}

export type OtpRow = {
  id: string
  status: OtpStatus
  reference: string | null
  recipient: string
  created_at: Date
  sent_at: Date | null
  failure_code: FailureCode | null
}

export const otpView = (row: OtpRow): OtpView => ({
  messageId: row.id,
  status: row.status,
  reference: row.reference,
  to: row.recipient,
  createdAt: row.created_at.toISOString(),
  sentAt: row.sent_at?.toISOString() ?? null,
  failure: row.failure_code && { code: row.failure_code, message: failures[row.failure_code].en },
})
