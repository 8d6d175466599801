import type { ConfirmationStatus } from './confirmation.ts'
import type { RefusalStatus } from './refusal.ts'

/** What pages and sentences call the statuses of both checks. */
export const STATUSES_IN_ARABIC = {
  accepted: 'السؤال في الطريق',
  awaiting_answer: 'بانتظار الجواب',
  confirmed: 'مؤكَّد',
  cancelled: 'ملغى',
  rescheduling: 'يختار وقتًا آخر',
  rescheduled: 'اختار وقتًا آخر',
  awaiting_reason: 'يختار السبب',
  awaiting_note: 'يكتب ملاحظة',
  denied: 'يقول إنه لم يرفض',
  refusal_confirmed: 'يقول إنه رفض',
  no_response: 'بلا جواب',
  failed: 'فشل',
} as const satisfies Record<ConfirmationStatus | RefusalStatus, string>
