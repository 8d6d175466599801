import { z } from 'zod'
import { must } from '../http/fields.ts'
import type { NewTemplate, ParameterValue } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import { type TemplateDraft, draftFaultSentence, faultsOfDraft, sampleOf, tidy, variablesOf } from './draft.ts'

/** Far above every limit of the draft, which has words of its own for what is too long. */
const TEXT_MOST = 10_000
const VARIABLES_MOST = 200
const says = keptSentences({
  tooManySamples: { en: 'must have at most {most} samples', ar: 'الحد الأقصى لعدد العينات {most}' },
  labels: { en: 'must be a list of labels', ar: 'يجب أن تكون قائمة عناوين أزرار' },
})

const text = z.string().max(TEXT_MOST, must.haveAtMost({ most: TEXT_MOST }).en)

const common = { name: text, language: text }

const question = {
  ...common,
  header: text,
  headerSample: text,
  body: text,
  samples: z
    .record(z.string().max(TEXT_MOST), text)
    .refine(
      (samples) => Object.keys(samples).length <= VARIABLES_MOST,
      says.tooManySamples({ most: VARIABLES_MOST }).en,
    )
    .readonly(),
  footer: text,
  buttons: z.array(text).max(10, says.labels.en).readonly(),
}

/** What the form submits. Whatever passes is taken by WhatsApp's rules and usable by ours once it is approved. */
export const templateDraft = z
  .discriminatedUnion('use', [
    z.strictObject({
      use: z.literal('otp'),
      ...common,
      securityAdvice: z.boolean(),
      expiryMinutes: z.number().nullable(),
      copyLabel: text,
    }),
    z.strictObject({ use: z.literal('confirmation'), ...question }),
    z.strictObject({ use: z.literal('refusal'), ...question }),
  ])
  .superRefine((draft, context) => {
    for (const fault of faultsOfDraft(draft))
      context.addIssue({ code: 'custom', path: fault.at.split('.'), message: draftFaultSentence(fault).en })
  })

/** A code that comes after it has expired helps nobody: WhatsApp drops the message by then. Its standard is 600. */
const TTL_SECONDS_MOST = 600

/** In the provider's terms. The draft must have no faults. */
export function newTemplateOf(draft: TemplateDraft): NewTemplate {
  const { name, language } = draft
  if (draft.use === 'otp') {
    const { securityAdvice, expiryMinutes, copyLabel } = draft
    return {
      kind: 'code',
      name,
      language,
      securityAdvice,
      expiryMinutes,
      copyLabel: tidy(copyLabel) || null,
      sendTtlSeconds: expiryMinutes === null ? null : Math.min(expiryMinutes * 60, TTL_SECONDS_MOST),
    }
  }
  const header = tidy(draft.header)
  const body = tidy(draft.body)
  return {
    kind: 'question',
    name,
    language,
    parameterFormat: variablesOf(`${header} ${body}`).form === 'named' ? 'NAMED' : 'POSITIONAL',
    header: header === '' ? null : { text: header, samples: samplesIn(header, () => draft.headerSample) },
    body: { text: body, samples: samplesIn(body, (variable) => sampleOf(draft.samples, variable)) },
    footer: tidy(draft.footer) || null,
    quickReplies: draft.buttons.map(tidy),
  }
}

function samplesIn(template: string, sampleFor: (name: string) => string): ParameterValue[] {
  const { form, names } = variablesOf(template)
  return names.map((name) => ({ name: form === 'named' ? name : null, text: tidy(sampleFor(name)) }))
}
