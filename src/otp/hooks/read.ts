import type { CodedText } from '../../../locales/text.ts'
import type { Fault } from '../../lib/http/faults.ts'
import { normalizePhone, phoneFault } from '../../lib/phone/phone.ts'
import { withLatinDigits } from '../../../locales/typed-digits.ts'
import { otpBody } from '../routes.ts'
import type { HookTemplate } from './hooks.ts'
import { type HookKind, type Pointers, placesOf } from './kinds.ts'

/** What a product wants to be sent. */
export type HookCode = { phone: string; code: string; language: string | undefined }

/** Returns every fault of the body, without its values: one may be the code. */
export function readHookBody(
  hook: { kind: HookKind; pointers: Pointers | null },
  body: unknown,
): HookCode | readonly Fault[] {
  const places = placesOf(hook)
  const phone = textAt(body, places.phone)
  const code = textAt(body, places.code)
  const language = textAt(body, places.language)
  const to = phone && toPhone(phone.text)
  const faults: Fault[] = []
  const add = (pointer: string, detail: CodedText) => faults.push({ in: 'body', pointer, detail })
  if (!phone) add(places.phone[0] ?? '', { code: 'http.must_be_text' })
  else if (to === undefined) add(phone.pointer, phoneFault(withPlus(phone.text)))
  if (!code) add(places.code[0] ?? '', { code: 'http.must_be_text' })
  else if (!otpBody.shape.code.safeParse(code.text).success) add(code.pointer, { code: 'otp.form' })
  return to !== undefined && code && faults.length === 0
    ? { phone: to, code: code.text, language: language?.text }
    : faults
}

/** Products may store the number without its plus. */
const withPlus = (text: string): string => (/^\s*[1-9]/.test(withLatinDigits(text)) ? `+${text.trim()}` : text)

const toPhone = (text: string): string | undefined => normalizePhone(withPlus(text))

/** The longest text that is looked at; a phone number or a code is much shorter. */
const MAX_TEXT_LENGTH = 200

function textAt(body: unknown, pointers: readonly string[]): { pointer: string; text: string } | undefined {
  for (const pointer of pointers) {
    const value = valueAt(body, pointer)
    if (typeof value === 'string' && value !== '') return { pointer, text: value.slice(0, MAX_TEXT_LENGTH) }
  }
  return undefined
}

/** RFC 6901. */
function valueAt(body: unknown, pointer: string): unknown {
  let value = body
  for (const part of pointer.split('/').slice(1)) {
    const name = part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** The template in the user's language: the same region, else the same language, else the first template. */
export function templateFor(templates: readonly HookTemplate[], language: string | undefined): HookTemplate {
  const [fallback] = templates
  if (!fallback) throw new Error('a hook has no templates')
  const wanted = language?.toLowerCase().replaceAll('-', '_').split(/[,; ]/, 1)[0] ?? ''
  const [main = ''] = wanted.split('_')
  const named = (fits: (language: string) => boolean) =>
    templates.find((template) => fits(template.language.toLowerCase()))
  return (
    named((each) => each === wanted) ??
    named((each) => each === main) ??
    named((each) => each.split('_')[0] === main) ??
    fallback
  )
}
