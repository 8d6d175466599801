import { ApiError } from '../../lib/errors.ts'
import type { VerificationRow } from './view.ts'

export const notFound = (): ApiError => new ApiError('OTP_VERIFICATION_NOT_FOUND', { code: 'otp.no_verification' })

export const ended = (status: Exclude<VerificationRow['status'], 'pending'>): ApiError =>
  new ApiError('OTP_VERIFICATION_ENDED', { code: 'otp.verification_over', status })

/** This process does not know the key in use. The statements that insert rows compare it again. */
export const keyChanged = (): ApiError => new ApiError('SERVICE_UNAVAILABLE', { code: 'secrets.key_changed' })
