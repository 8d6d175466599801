import { type CodedText, plainText } from '../../../locales/text.ts'
import type { ProviderTemplate } from '../../providers/provider.ts'
import type { TemplateUse } from '../../providers/template-draft.ts'
import { isOtpButton } from '../../providers/otp-button.ts'
import { findComponent, variablesOf } from '../../providers/template-text.ts'
import { BUTTON_MEANINGS } from './draft.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

/** Why a template cannot carry a one-time code (docs/api.md#order-of-checks), and what to do. Returns undefined if it can. */
export function otpUnusableReason({ status, category, components }: Template): CodedText | undefined {
  const remedy = { code: 'accounts.remedy_create' } as const
  if (status !== 'APPROVED')
    return { code: 'accounts.usability_status', status, approved: 'APPROVED', remedy: remedyOfStatus(status) }
  if (category !== 'AUTHENTICATION')
    return { code: 'accounts.usability_category', category, needed: 'AUTHENTICATION', remedy }
  const { format = 'TEXT', text = '' } = findComponent(components, 'HEADER') ?? {}
  if (format !== 'TEXT') return { code: 'accounts.usability_header_format', format, remedy }
  if (variablesOf(text).names.length > 0) return { code: 'accounts.header_parameter', remedy }
  const [body, ...moreBodies] = components.filter(({ type }) => type === 'BODY')
  if (!body) return { code: 'accounts.usability_no_body', remedy }
  if (moreBodies.length > 0) return { code: 'accounts.more_bodies', remedy }
  const { names, form } = variablesOf(body.text ?? '')
  const [name] = names
  if (name === undefined) return { code: 'accounts.no_parameter', remedy }
  if (names.length > 1) return { code: 'accounts.more_parameters', count: names.length, remedy }
  if (form === 'positional' && name !== '1')
    return { code: 'accounts.other_parameter', parameter: `{{${name}}}`, needed: '{{1}}', remedy }
  const buttons = components.filter(({ type }) => type === 'BUTTONS').flatMap((component) => component.buttons ?? [])
  const index = buttons.findIndex((button) => !isOtpButton(button))
  const other = buttons[index]
  return other && { code: 'accounts.usability_button', position: index + 1, type: other.type, remedy }
}

function remedyOfStatus(status: string): CodedText {
  const known = (['PENDING', 'IN_APPEAL', 'PAUSED', 'REJECTED'] as const).find((each) => each === status)
  return plainText(`accounts.remedy_${known ? (known.toLowerCase() as Lowercase<typeof known>) : 'other'}`)
}

export type CodCheck = Exclude<TemplateUse, 'otp'>

/** Carousels, limited-time offers and others have further components. */
const STANDARD_COMPONENTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']

/** Why a template cannot be used for a check (docs/cod.md#templates), and what to do. Returns undefined if it can. */
export function codUnusableReason({ status, category, components }: Template, check: CodCheck): CodedText | undefined {
  const remedy = { code: 'accounts.remedy' } as const
  if (status !== 'APPROVED') return { code: 'accounts.cod_usability_status', status, approved: 'APPROVED' }
  if (category !== 'UTILITY') return { code: 'accounts.cod_usability_category', category, needed: 'UTILITY', remedy }
  const unsupported = components.find(({ type }) => !STANDARD_COMPONENTS.includes(type))
  if (unsupported) return { code: 'accounts.strange', type: unsupported.type, remedy }
  const repeated = components.find(({ type }, index) => components.findIndex((each) => each.type === type) < index)
  if (repeated) return { code: 'accounts.repeated', type: repeated.type, remedy }
  const { format = 'TEXT', text: header = '' } = findComponent(components, 'HEADER') ?? {}
  if (format !== 'TEXT') return { code: 'accounts.usability_header_format', format, remedy }
  const { length: headerParameters } = variablesOf(header).names
  if (headerParameters > 1) return { code: 'accounts.header_parameters', count: headerParameters, remedy }
  const body = findComponent(components, 'BODY')?.text ?? ''
  if (body.trim() === '') return { code: 'accounts.usability_no_body', remedy }
  const { names, form } = variablesOf(body)
  const gap = Array.from(names, (_, index) => String(index + 1)).find((number) => !names.includes(number))
  if (form === 'positional' && gap !== undefined)
    return { code: 'accounts.cod_usability_gap', count: names.length, missing: `{{${gap}}}`, remedy }
  const buttons = findComponent(components, 'BUTTONS')?.buttons ?? []
  const expected = plainText(`accounts.expected_${check}`)
  const index = buttons.findIndex(({ type }) => type.toUpperCase() !== 'QUICK_REPLY')
  const other = buttons[index]
  if (other) return { code: 'accounts.cod_usability_button', position: index + 1, type: other.type, expected, remedy }
  const { length: count } = buttons
  if (count === BUTTON_MEANINGS[check].length) return undefined
  if (count > 1) return { code: 'accounts.replies', count, expected, remedy }
  return { code: count === 0 ? 'accounts.no_replies' : 'accounts.one_reply', expected, remedy }
}

/** For each use, why the template cannot serve it; null where it can. */
export type TemplateVerdicts = Record<TemplateUse, CodedText | null>

export const verdictsOf = (template: Template): TemplateVerdicts => ({
  otp: otpUnusableReason(template) ?? null,
  confirmation: codUnusableReason(template, 'confirmation') ?? null,
  refusal: codUnusableReason(template, 'refusal') ?? null,
})

/** `onceApproved`: as if WhatsApp had approved the template, or ended its pause. */
export const withVerdicts = <Stored extends Template>(template: Stored) => ({
  ...template,
  verdicts: verdictsOf(template),
  onceApproved: verdictsOf({ ...template, status: 'APPROVED' }),
  likely: likelyUse(template),
})

/** The use that a template seems to be made for, so that a list can say why it cannot serve that use. */
function likelyUse({ category, components }: Template): TemplateUse {
  if (category === 'AUTHENTICATION') return 'otp'
  return findComponent(components, 'BUTTONS')?.buttons?.length === 2 ? 'refusal' : 'confirmation'
}
