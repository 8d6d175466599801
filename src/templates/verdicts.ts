import type { ProviderTemplate } from '../providers/provider.ts'
import type { Language, Sentence } from '../sentences.ts'
import { codUnusableReason } from './cod-usability.ts'
import type { TemplateUse } from './draft.ts'
import { otpUnusableReason } from './usability.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

/** Why a template cannot be used for each thing; null where it can. */
export type Verdicts<Reason = Sentence> = Record<TemplateUse, Reason | null>

export const verdictsOf = (template: Template): Verdicts => ({
  otp: otpUnusableReason(template) ?? null,
  confirmation: codUnusableReason(template, 'confirmation') ?? null,
  refusal: codUnusableReason(template, 'refusal') ?? null,
})

export const verdictsIn = (language: Language, { otp, confirmation, refusal }: Verdicts): Verdicts<string> => ({
  otp: otp && otp[language],
  confirmation: confirmation && confirmation[language],
  refusal: refusal && refusal[language],
})

/** The same as if WhatsApp had approved it: what its review, or the end of a pause, would make of it. */
export const verdictsOnceApproved = (template: Template): Verdicts => verdictsOf({ ...template, status: 'APPROVED' })

/** What a template looks as if it were made for, so that a list can say why it cannot be used for that. */
export function likelyUse({ category, components }: Template): TemplateUse {
  if (category === 'AUTHENTICATION') return 'otp'
  const buttons = components.find(({ type }) => type === 'BUTTONS')?.buttons ?? []
  return buttons.length === 2 ? 'refusal' : 'confirmation'
}
