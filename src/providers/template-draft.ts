import { z } from 'zod'
import { asIssue } from '../../locales/text.ts'

/** Far above every limit of the draft, whose own rules explain what is too long. */
const MAX_TEXT = 10_000
const MAX_VARIABLES = 200
const text = z.string().max(MAX_TEXT, asIssue({ code: 'http.must_have_at_most', max: MAX_TEXT }))

const codeDraft = z.strictObject({
  use: z.literal('otp'),
  name: text,
  language: text,
  securityAdvice: z.boolean(),
  /** Null: the text does not mention it. */
  expiryMinutes: z.number().nullable(),
  /** Empty: WhatsApp's default label. */
  copyLabel: text,
})

/** An empty header or footer means none. `samples` are by the name or number of the variable. */
const questionDraft = z.strictObject({
  use: z.enum(['confirmation', 'refusal']),
  name: text,
  language: text,
  header: text,
  headerSample: text,
  body: text,
  samples: z
    .record(z.string().max(MAX_TEXT), text)
    .refine(
      (samples) => Object.keys(samples).length <= MAX_VARIABLES,
      asIssue({ code: 'accounts.too_many_samples', max: MAX_VARIABLES }),
    )
    .readonly(),
  footer: text,
  buttons: z
    .array(text)
    .max(10, asIssue({ code: 'accounts.labels' }))
    .readonly(),
})

/** A template as the form holds it. It carries a one-time code, or asks a question with quick replies. */
export const templateDraft = z.discriminatedUnion('use', [codeDraft, questionDraft])

export type CodeDraft = z.infer<typeof codeDraft>
export type QuestionDraft = z.infer<typeof questionDraft>
export type TemplateDraft = CodeDraft | QuestionDraft
export type TemplateUse = TemplateDraft['use']
