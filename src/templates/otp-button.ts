import type { TemplateButton } from '../providers/provider.ts'

const OTP_LINK = /^https:\/\/www\.whatsapp\.com\/otp\/code\/?\?/i
const OTP_LINK_TYPE = /[?&]otp_type=(?:COPY_CODE|ONE_TAP|ZERO_TAP)(?:&|$)/i
const OTP_LINK_CODE = /[?&]code=otp\{\{1\}\}(?:&|$)/
const OTP_TYPE = /^(?:COPY_CODE|ONE_TAP|ZERO_TAP)$/i

/**
 * Whether a button is one that a code fills. Created as type OTP, it is usually read back as a URL whose link names the
 * kind and ends in the code; some mirrors keep OTP (whatsapp-cloud-api.md §5.2).
 */
export function isOtpButton(button: TemplateButton): boolean {
  const type = button.type.toUpperCase()
  if (type === 'OTP') return button.otp_type === undefined || OTP_TYPE.test(button.otp_type)
  const link = button.url ?? ''
  return type === 'URL' && OTP_LINK.test(link) && OTP_LINK_TYPE.test(link) && OTP_LINK_CODE.test(link)
}
