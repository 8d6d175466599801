import { ApiError } from '../../lib/errors.ts'
import type { VerificationRow } from './view.ts'

export const notFound = (): ApiError => new ApiError('OTP_VERIFICATION_NOT_FOUND', { code: 'otp.no_verification' })

export const ended = (status: Exclude<VerificationRow['status'], 'pending'>): ApiError =>
  new ApiError('OTP_VERIFICATION_ENDED', { code: 'otp.verification_over', status })
