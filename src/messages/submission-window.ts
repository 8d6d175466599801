import { DAY_MS, MINUTE_MS } from '../lib/clock.ts'

/** An OTP that could not be submitted for this long is useless (docs/otp.md#submission-and-expiry). */
export const OTP_SUBMISSION_WINDOW_MS = 10 * MINUTE_MS

/** Everything but a code may wait this long for a provider that is down. */
export const SUBMISSION_WINDOW_MS = DAY_MS
