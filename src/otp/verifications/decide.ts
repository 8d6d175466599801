export const VERIFICATION_STATUSES = ['pending', 'approved', 'expired', 'locked'] as const

export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number]

/** What decides over a check. Instants are in the workspace's time. */
export type VerificationState = {
  status: VerificationStatus
  expiresAt: Date
  maxAttempts: number
  /** When each wrong code was checked. */
  wrongAt: readonly Date[]
  endedAt: Date | null
}

/** The state after a code was checked. A verification that is over stays as it is (docs/otp.md#checks). */
export function checkCode<State extends VerificationState>(
  state: State,
  { isRight, now }: { isRight: boolean; now: Date },
): State {
  if (state.status !== 'pending') return state
  if (now >= state.expiresAt) return expire(state, now)
  if (isRight) return { ...state, status: 'approved', endedAt: now }
  const wrongAt = [...state.wrongAt, now]
  return wrongAt.length < state.maxAttempts
    ? { ...state, wrongAt }
    : { ...state, wrongAt, status: 'locked', endedAt: now }
}

export const expire = <State extends VerificationState>(state: State, now: Date): State =>
  state.status === 'pending' ? { ...state, status: 'expired', endedAt: now } : state

/** How many more wrong codes are possible. */
export const attemptsLeft = ({ status, maxAttempts, wrongAt }: VerificationState): number =>
  status === 'pending' ? maxAttempts - wrongAt.length : 0
