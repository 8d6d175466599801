import { failures } from '../providers/failures.ts'
import type { FailureCode } from '../providers/provider.ts'
import type { ConfirmationStatus, Reschedule } from './confirmation.ts'
import type { RefusalStatus } from './refusal.ts'

/** What callers see of a confirmation (spec §2.5), in the read response and in events. */
export type ConfirmationView = {
  confirmationId: string
  reference: string
  to: string
  status: ConfirmationStatus
  answeredAt: string | null
  reschedule: Reschedule | null
  refusalCheck: { status: RefusalStatus; reason: string | null; note: string | null; answeredAt: string | null } | null
  failure: { code: FailureCode; message: string } | null
  createdAt: string
}

export type ConfirmationRow = {
  id: string
  reference: string
  recipient: string
  created_at: Date
  status: ConfirmationStatus
  answered_at: Date | null
  reschedule: Reschedule | null
  failure_code: FailureCode | null
  failed_at: Date | null
}

export type RefusalRow = {
  status: RefusalStatus
  reason: string | null
  note: string | null
  answered_at: Date | null
  failure_code: FailureCode | null
  failed_at: Date | null
}

export function confirmationView(row: ConfirmationRow, refusal: RefusalRow | null): ConfirmationView {
  const failureCode = latestFailure(row, refusal)
  return {
    confirmationId: row.id,
    reference: row.reference,
    to: row.recipient,
    status: row.status,
    answeredAt: row.answered_at?.toISOString() ?? null,
    reschedule: row.reschedule && {
      date: row.reschedule.date,
      timeRange: row.reschedule.timeRange,
      note: row.reschedule.note,
    },
    refusalCheck: refusal && {
      status: refusal.status,
      reason: refusal.reason,
      note: refusal.note,
      answeredAt: refusal.answered_at?.toISOString() ?? null,
    },
    failure: failureCode && { code: failureCode, message: failures[failureCode].en },
    createdAt: row.created_at.toISOString(),
  }
}

/** The most recently failed one of the two (spec §2.5). */
function latestFailure(row: ConfirmationRow, refusal: RefusalRow | null): FailureCode | null {
  if (!refusal?.failed_at) return row.failure_code
  return row.failed_at && row.failed_at > refusal.failed_at ? row.failure_code : refusal.failure_code
}
