/** A code is sealed for its message and opens for no other. */
export const otpCodeContext = (messageId: string): string => `otp:${messageId}`
