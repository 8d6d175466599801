import { z } from 'zod'
import { isUuid } from '../ids.ts'
import { type CodedText, asIssue } from '../../../locales/text.ts'
import { normalizePhone, phoneFault } from '../phone/phone.ts'
import type { Client } from './route.ts'

const text = () => z.string({ error: asIssue({ code: 'http.must_be_text' }) })

/** A string of `min` to `max` Unicode code points, which JSON Schema counts too. */
export const boundedText = (min: number, max: number) =>
  text()
    .refine((text) => isWithin(text, min, max), {
      error:
        min === 0
          ? asIssue({ code: 'http.must_have_at_most', max })
          : asIssue({ code: 'http.must_have_within', min, max }),
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })

/** A string has at most `length` code points and at least half as many, so most strings need no counting. */
function isWithin(text: string, min: number, max: number): boolean {
  if (text.length <= max && text.length >= 2 * min) return true
  const { length: count } = Array.from(text)
  return count >= min && count <= max
}

/** A query parameter. JSON Schema describes its value, not its text. */
export const wholeNumber = (min: number, max: number) =>
  text()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: asIssue({ code: 'http.must_be_whole_within', min, max }),
    })
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max })

/** A whole number in a body. */
export function integer(min: number, max: number) {
  const error = asIssue({ code: 'http.must_be_whole_within', min, max })
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** Accepts any UUID shape in any case: an unknown id is a 404, not invalid input. */
const uuidOr = (fault: CodedText) =>
  text()
    .refine(isUuid, { error: asIssue(fault) })
    .toLowerCase()
    .meta({ format: 'uuid' })

export const uuid = uuidOr({ code: 'http.must_be_uuid' })

export const phone = text()
  .meta({ minLength: 1 })
  .transform((text, context) => {
    const normalized = normalizePhone(text)
    if (normalized) return normalized
    context.issues.push({ code: 'custom', input: text, message: asIssue(phoneFault(text)) })
    return z.NEVER
  })

/** No maximum: a name longer than the provider's 512 characters is a template that is not found. */
const nonEmptyText = () => text().min(1, { error: asIssue({ code: 'http.must_not_be_empty' }) })

const templateReference = z
  .strictObject({
    name: nonEmptyText().meta({ description: 'Exact template name.' }),
    language: nonEmptyText().meta({ description: 'Exact template language code: `en` and `en_US` are two languages.' }),
  })
  .meta({ id: 'TemplateReference' })

/** The recipient in responses and events. */
export const recipient = z.string().meta({
  description:
    'The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`.',
})

/** For the body of a POST that sends a template to a recipient. */
export const sendFields = {
  to: phone.meta({ description: 'Recipient in international format with a leading +.' }),
  senderId: uuidOr({ code: 'http.must_be_sender_id' }).meta({
    description: 'Sender ID of this service, not the phone number ID of the provider.',
  }),
  template: templateReference.meta({ description: 'The approved template to send.' }),
}

export const MAX_REFERENCE_LENGTH = 128

export const MAX_IDEMPOTENCY_KEY_LENGTH = 128

/** For the headers of a POST. */
export const idempotencyHeaders = z.object({
  'idempotency-key': boundedText(0, MAX_IDEMPOTENCY_KEY_LENGTH).optional().meta({
    description:
      'Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other.',
  }),
})

type IdempotentRequest = Omit<Client, 'end'> & { headers: z.output<typeof idempotencyHeaders> }

/** The members of every request that is accepted once for each idempotency key. */
export const idempotentRequestOf = ({ workspaceId, apiKeyId, correlationId, trace, headers }: IdempotentRequest) => ({
  workspaceId,
  apiKeyId,
  correlationId,
  trace,
  idempotencyKey: headers['idempotency-key'] ?? null,
})
