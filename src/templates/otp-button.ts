import type { TemplateButton } from '../providers/provider.ts'

const OTP_LINK = /^https:\/\/www\.whatsapp\.com\/otp\/code\/?\?/i
const OTP_LINK_TYPE = /[?&]otp_type=(?:COPY_CODE|ONE_TAP|ZERO_TAP)(?:&|$)/i
const OTP_LINK_CODE = /[?&]code=otp\{\{1\}\}(?:&|$)/
const OTP_TYPE = /^(?:COPY_CODE|ONE_TAP|ZERO_TAP)$/i

/**
 * Whether a button is one that a code fills. Created as type OTP, it is usually read back as a URL whose link ends in the
 * code; some mirrors keep OTP. The kind is in its own field, or else in the link (whatsapp-cloud-api.md §5.2).
 */
export function isOtpButton(button: TemplateButton): boolean {
  const type = button.type.toUpperCase()
  const { otp_type: kind, url: link = '' } = button
  if (type === 'OTP') return kind === undefined || OTP_TYPE.test(kind)
  const isOfKnownKind = kind === undefined ? OTP_LINK_TYPE.test(link) : OTP_TYPE.test(kind)
  return type === 'URL' && OTP_LINK.test(link) && isOfKnownKind && OTP_LINK_CODE.test(link)
}
