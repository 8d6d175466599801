import { z } from 'zod'
import { asIssue } from '../../locales/text.ts'
import { isBlank, isOneVisibleLine } from '../../locales/visible-text.ts'
import { normalizePhone } from '../lib/phone/phone.ts'
import { explainInvalidPhone } from '../lib/phone/invalid-phone.ts'

const tooLong = (max: number) => asIssue({ code: 'http.must_have_at_most', max })

/** A longer text is not checked further: it may be a megabyte long. */
export const limitedText = (max: number) => z.string().max(max, { error: tooLong(max), abort: true })

export const trimmedText = (max: number) => z.string().trim().max(max, tooLong(max))

const MAX_EMAIL_CHARACTERS = 254
/** In code points. */
export const MAX_NAME_CHARACTERS = 100

const notEmpty = asIssue({ code: 'http.must_not_be_empty' })

export const emailInput = trimmedText(MAX_EMAIL_CHARACTERS).pipe(z.email(asIssue({ code: 'admin.email' })))

/** The name of a workspace, a key or a person. */
export const displayName = z
  .string()
  .trim()
  .refine((name) => !isBlank(name), notEmpty)
  .refine((name) => Array.from(name).length <= MAX_NAME_CHARACTERS, {
    error: tooLong(MAX_NAME_CHARACTERS),
    abort: true,
  })
  .refine(isOneVisibleLine, asIssue({ code: 'admin.one_line' }))

const MAX_PHONE_CHARACTERS = 100

/** Follows the command line's rules. */
export const phoneInput = limitedText(MAX_PHONE_CHARACTERS).transform((text, context) => {
  const phone = normalizePhone(text)
  if (phone !== undefined) return phone
  context.addIssue({ code: 'custom', message: asIssue(explainInvalidPhone(text)) })
  return z.NEVER
})

/** A day in the delivery time zone. */
export const dayInput = z.iso.date(asIssue({ code: 'admin.day', example: '2026-11-25' }))

/** An optional choice, null when it is missing. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null)
