/** One digit for North America and Russia, two for these, otherwise three (ITU-T E.164). */
const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/**
 * `+212661234567` as `+212`, `661`, `234`, `567`: three digits at a time, as no digit says how its country groups them. A rest
 * of one joins the last group, and a rest of two comes first.
 */
export function groupsOfPhone(phone: string): string[] {
  const digits = /^\+(\d{7,15})$/.exec(phone)?.[1]
  if (digits === undefined) return [phone]
  const [code = ''] = CALLING_CODE.exec(digits) ?? []
  return [`+${code}`, ...inThrees(digits.slice(code.length))]
}

/** In a sentence or a choice, where a number is only text. */
export const phoneText = (phone: string): string => groupsOfPhone(phone).join('\u00a0')

/** The same for a place without markup, such as the option of a list, where Arabic would move the plus to the other end. */
export const isolatedPhoneText = (phone: string): string => `\u2066${phoneText(phone)}\u2069`

function inThrees(digits: string): string[] {
  if (digits.length <= 4) return [digits]
  const first = digits.length % 3 === 2 ? 2 : 3
  return [digits.slice(0, first), ...inThrees(digits.slice(first))]
}
