import type { TemplateButton } from './provider.ts'

const OTP_LINK = /^https:\/\/www\.whatsapp\.com\/otp\/code\/?\?/i
const OTP_LINK_TYPE = /[?&]otp_type=(?:COPY_CODE|ONE_TAP|ZERO_TAP)(?:&|$)/i
const OTP_LINK_CODE = /[?&]code=otp\{\{1\}\}(?:&|$)/
const OTP_TYPE = /^(?:COPY_CODE|ONE_TAP|ZERO_TAP)$/i

/**
 * Created with the type OTP, such a button is usually returned as a URL whose link ends in the code. Its kind is a field
 * or part of the link (docs/whatsapp-cloud-api.md#authentication-templates).
 */
export function isOtpButton(button: TemplateButton): boolean {
  const type = button.type.toUpperCase()
  const { otp_type: kind, url: link = '' } = button
  if (type === 'OTP') return kind === undefined || OTP_TYPE.test(kind)
  const hasKnownKind = kind === undefined ? OTP_LINK_TYPE.test(link) : OTP_TYPE.test(kind)
  return type === 'URL' && OTP_LINK.test(link) && hasKnownKind && OTP_LINK_CODE.test(link)
}
