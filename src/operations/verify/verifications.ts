import type { EventRow, VerificationFact } from '../../explain/rows.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { MessageRow } from '../../messages/subscribers.ts'
import { type VerificationState, type VerificationStatus, checkCode, expire } from '../../otp/verifications/decide.ts'
import { eventsOf } from '../../otp/verifications/store.ts'
import { type Differences, compare } from './differences.ts'
import { compareEvents } from './replay.ts'

/** The other events of its message are the message's own. */
export const isOfVerification = ({ type }: EventRow): boolean => type.startsWith('otp.')

type Facts = MessageRow & { verifications: readonly VerificationFact[]; events: readonly EventRow[] }

/** Compares a verification with its message, its checks, its resends and its event (docs/consistency-check.md#messages). */
export function* checkVerification({ workspace_id: workspaceId, reference, ...facts }: Facts): Differences {
  const { id, verifications, created_at } = facts
  for (const row of verifications) {
    const messages = { stored: row.sentAt.length, derived: row.resends.length + 1 }
    yield* compare({ id, code: 'verify.verification_status', stored: row.status, derived: statusOf(row) })
    yield* compare({ id, code: 'verify.verification_time', stored: row.createdAt, derived: created_at })
    yield* compare({ id, code: 'verify.verification_messages', ...messages })
  }
  const events = verifications.flatMap((row) => eventsOf({ ...row, workspaceId, reference, endedAt: row.overAt }))
  yield* compareEvents({ id, events: facts.events.filter(isOfVerification) }, events)
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
