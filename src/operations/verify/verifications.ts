import type { EventRow, VerificationFact } from '../../explain/rows.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { MessageRow } from '../../messages/subscribers.ts'
import { type VerificationState, type VerificationStatus, checkCode, expire } from '../../otp/verifications/decide.ts'
import { verificationView } from '../../otp/verifications/view.ts'
import { type Difference, compared, difference, take } from './differences.ts'
import { compareEvent, withoutCause } from './replay.ts'

const EVENTS: Partial<Record<VerificationStatus, string>> = {
  approved: 'otp.verified',
  expired: 'otp.verification_failed',
  locked: 'otp.verification_failed',
}

/** The other events of its message are the message's own. */
export const isOfVerification = ({ type }: EventRow): boolean => type.startsWith('otp.')

type Facts = MessageRow & { verifications: readonly VerificationFact[]; events: readonly EventRow[] }

/** Compares a verification with its message, its checks, its resends and its event (docs/consistency-check.md#messages). */
export function checkVerification({ verifications, events: stored, ...message }: Facts): Difference[] {
  const events = stored.filter(isOfVerification)
  const [verification] = verifications
  if (!verification) return events.map(withoutCause)
  const { id, status, createdAt, sentAt, resends, overAt } = verification
  const type = EVENTS[status]
  const event = type && take(events, (each) => each.type === type)
  const row = { ...verification, workspaceId: message.workspace_id, reference: message.reference, endedAt: overAt }
  return [
    ...compared(id, { code: 'verify.verification_status' }, { stored: status, derived: statusOf(verification) }),
    ...compared(id, { code: 'verify.verification_time' }, { stored: createdAt, derived: message.created_at }),
    ...compared(id, { code: 'verify.verification_messages' }, { stored: sentAt.length, derived: resends.length + 1 }),
    ...(type && !event ? [difference(id, { code: 'verify.event_missing', type })] : []),
    ...(event && overAt ? compareEvent(event, { at: overAt, data: verificationView(row) }) : []),
    ...events.map(withoutCause),
  ]
}

/** The status after the wrong codes and the end, by the rules of a check. The right code is not stored. */
function statusOf(verification: VerificationFact): VerificationStatus {
  const { status, overAt, wrongAt, recipient } = verification
  const pending: VerificationState = { ...verification, status: 'pending', wrongAt: [], endedAt: null }
  const checked = wrongAt.reduce((state, now) => checkCode(state, { isRight: false, now }), pending)
  if (!overAt) return checked.status
  // An erasure ends it before its time. The time of an erasure is not stored.
  const isEarly = isErased(recipient) && status === 'expired'
  return (isEarly ? expire(checked, overAt) : checkCode(checked, { isRight: true, now: overAt })).status
}
