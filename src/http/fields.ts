import { z } from 'zod'
import { isUuid } from '../ids.ts'
import { normalizePhone } from '../workspaces/phone.ts'

/** Lengths count Unicode code points, as JSON Schema does (contract §2). */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A text of `least` to `most` code points. */
export const boundedText = (least: number, most: number) =>
  z
    .string({ error: 'must be a string' })
    .refine((text) => isWithin(text, least, most), {
      error: least === 0 ? `must have at most ${most} characters` : `must have ${least} to ${most} characters`,
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
  .string({ error: 'must be a string' })
  .refine(isUuid, { error: 'must be a UUID' })
  .toLowerCase()
  .meta({ format: 'uuid' })

export const phone = z.string({ error: 'must be a string' }).transform((text, context) => {
  const normalized = normalizePhone(text)
  if (normalized) return normalized
  context.issues.push({
    code: 'custom',
    input: text,
    message: 'must be a phone number in international format with a leading +, of a length that its country knows',
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
