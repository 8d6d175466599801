import type { CodedText } from '../../locales/text.ts'
import { type TimelineEntry, entry } from './entry.ts'
import type { Facts, OtpFact } from './facts.ts'
import type { VerificationFact } from './rows.ts'

/** What was asked, which codes were checked, and how it ended. Never a code, not even a wrong one. */
export function verificationEntries({ verification }: Pick<Facts, 'verification'>): TimelineEntry[] {
  if (!verification) return []
  const { createdAt, codeLength: digits, maxAttempts, expiresAt, wrongAt, resends } = verification
  const request: CodedText = {
    code: 'explain.verification_request',
    digits,
    maxAttempts,
    expiresAt: expiresAt.toISOString(),
  }
  return [
    entry(createdAt, 'request', request, { codeLength: digits, maxAttempts, expiresAt: expiresAt.toISOString() }),
    ...resends.map(({ messageId, at }) =>
      entry(new Date(at), 'request', { code: 'explain.sent_again', messageId }, { messageId }),
    ),
    ...wrongAt.map((at, index) => wrongCodeEntry(at, maxAttempts - index - 1)),
    endEntry(verification),
  ].flatMap((each) => each ?? [])
}

const wrongCodeEntry = (at: Date, attemptsLeft: number): TimelineEntry =>
  entry(
    at,
    'customer',
    attemptsLeft > 0 ? { code: 'explain.wrong_code', attemptsLeft } : { code: 'explain.last_wrong_code' },
    { check: 'wrong', attemptsLeft },
  )

/** A locked verification ended with its last wrong code. */
function endEntry({ status, overAt, expiresAt }: VerificationFact): TimelineEntry | undefined {
  if (status === 'approved' && overAt)
    return entry(overAt, 'customer', { code: 'explain.approved' }, { check: 'right' })
  if (status === 'expired' && overAt)
    return entry(overAt, 'timer', { code: 'explain.verification_expired' }, { outcome: status })
  return status === 'pending' ? entry(expiresAt, 'timer', { code: 'explain.verification_expires' }) : undefined
}

/** For a message that sends the code of a verification again. */
export const resendEntry = ({ createdAt, verificationId }: OtpFact): TimelineEntry[] =>
  verificationId === null
    ? []
    : [entry(createdAt, 'request', { code: 'explain.sends_again', verificationId }, { verificationId })]
