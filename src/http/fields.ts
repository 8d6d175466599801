import { z } from 'zod'
import { isUuid } from '../ids.ts'
import { keptSentences } from '../sentences.ts'
import { normalizePhone } from '../workspaces/phone.ts'

/** Lengths count Unicode code points, as JSON Schema does (contract §2). */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** What a field must be, as more than one schema says it. The API says the English; pages find the Arabic by it. */
export const must = keptSentences({
  beText: { en: 'must be a string', ar: 'يجب أن يكون نصًا' },
  beObject: { en: 'must be a JSON object', ar: 'يجب أن يكون كائنًا' },
  beUuid: { en: 'must be a UUID', ar: 'يجب أن يكون معرّفًا كاملًا' },
  beWhole: { en: 'must be a whole number', ar: 'يجب أن يكون عددًا صحيحًا' },
  bePhone: {
    en: 'must be a phone number in international format with a leading +, of a length that its country knows',
    ar: 'يجب أن يكون رقم هاتف بالصيغة الدولية يبدأ بعلامة + وبطول يعرفه بلده',
  },
  notBeEmpty: { en: 'must not be empty', ar: 'يجب ألا يكون فارغًا' },
  haveAtMost: { en: 'must have at most {most} characters', ar: 'الحد الأقصى لعدد الأحرف {most}' },
  haveAtLeast: { en: 'must have at least {least} characters', ar: 'الحد الأدنى لعدد الأحرف {least}' },
  haveWithin: { en: 'must have {least} to {most} characters', ar: 'يجب أن يكون عدد الأحرف من {least} إلى {most}' },
})

/** A text of `least` to `most` code points. */
export const boundedText = (least: number, most: number) =>
  z
    .string({ error: must.beText.en })
    .refine((text) => isWithin(text, least, most), {
      error: least === 0 ? must.haveAtMost({ most }).en : must.haveWithin({ least, most }).en,
    })
    .meta({ ...(least > 0 && { minLength: least }), maxLength: most })

/** UTF-16 units bound the count from above, and half of them from below: most texts need no counting. */
function isWithin(text: string, least: number, most: number): boolean {
  if (text.length <= most && text.length >= 2 * least) return true
  const count = codePoints(text)
  return count >= least && count <= most
}

/** Any case comes in, lower case goes on. Not only the versions of RFC 9562: an id that does not exist is no fault. */
export const uuid = z
  .string({ error: must.beText.en })
  .refine(isUuid, { error: must.beUuid.en })
  .toLowerCase()
  .meta({ format: 'uuid' })

export const phone = z
  .string({ error: must.beText.en })
  .meta({ minLength: 1 })
  .transform((text, context) => {
    const normalized = normalizePhone(text)
    if (normalized) return normalized
    context.issues.push({
      code: 'custom',
      input: text,
      message: must.bePhone.en,
    })
    return z.NEVER
  })

export const IDEMPOTENCY_KEY_LENGTH_MOST = 128

/** For the headers of a POST. */
export const idempotencyHeaders = z.object({
  'idempotency-key': boundedText(0, IDEMPOTENCY_KEY_LENGTH_MOST).optional().meta({
    description:
      'Repeating an accepted request with the same key and the same values returns the first answer and does nothing again. An empty value is a key like any other.',
  }),
})
