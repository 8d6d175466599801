import type { ProviderTemplate, TemplateComponent } from '../providers/provider.ts'
import { parametersOf } from './parameters.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

export type CodCheck = 'confirmation' | 'refusal'

/** What the quick replies of each template mean, by position (spec §4.4, §4.6). */
const BUTTONS = {
  confirmation: { count: 3, meaning: 'confirm, cancel, change time' },
  refusal: { count: 2, meaning: 'yes (I refused), no (I did not)' },
} as const satisfies Record<CodCheck, { count: number; meaning: string }>

const CREATE_ANOTHER = 'Create another utility template in WhatsApp Manager and use that.'

/** Why a template cannot ask what this check asks (spec §4.4, §4.6, contract §8), and what to do. Undefined when it can. */
export function codUnusableReason(template: Template, check: CodCheck): string | undefined {
  return (
    statusReason(template.status) ??
    categoryReason(template.category) ??
    kindReason(template) ??
    headerReason(template) ??
    bodyReason(template) ??
    buttonReason(template, check)
  )
}

function statusReason(status: string): string | undefined {
  if (status === 'APPROVED') return undefined
  return `The template has the status ${status}, and only APPROVED ones can be sent. Wait until WhatsApp has approved it, or use another template.`
}

function categoryReason(category: string): string | undefined {
  if (category === 'UTILITY') return undefined
  return `The template has the category ${category}, and orders are asked about by UTILITY alone. ${CREATE_ANOTHER}`
}

/** Carousels, offers with an end and the like have components of their own. */
const STANDARD = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']

function kindReason({ components }: Template): string | undefined {
  const strange = components.find(({ type }) => !STANDARD.includes(type))
  if (strange)
    return `The template has a component of the type ${strange.type}, which a standard one has not. ${CREATE_ANOTHER}`
  const repeated = components.find(({ type }, index) => components.findIndex((each) => each.type === type) < index)
  if (repeated) return `The template has more than one component of the type ${repeated.type}. ${CREATE_ANOTHER}`
  return undefined
}

function headerReason({ components }: Template): string | undefined {
  const header = find(components, 'HEADER')
  if (!header) return undefined
  if ((header.format ?? 'TEXT') !== 'TEXT')
    return `The template has a header of the format ${header.format}, and only text headers are supported. ${CREATE_ANOTHER}`
  const { length } = parametersOf(header.text ?? '').names
  if (length > 1)
    return `The template's header has ${length} parameters, and at most one can be filled. ${CREATE_ANOTHER}`
  return undefined
}

function bodyReason({ components }: Template): string | undefined {
  const text = find(components, 'BODY')?.text ?? ''
  if (text.trim() === '') return `The template has no body. ${CREATE_ANOTHER}`
  const { names, form } = parametersOf(text)
  const gap = Array.from(names, (_, index) => String(index + 1)).find((number) => !names.includes(number))
  if (form === 'positional' && gap !== undefined)
    return `The template's body has ${names.length} numbered parameters, but no {{${gap}}}. ${CREATE_ANOTHER}`
  return undefined
}

function buttonReason({ components }: Template, check: CodCheck): string | undefined {
  const buttons = find(components, 'BUTTONS')?.buttons ?? []
  const { count, meaning } = BUTTONS[check]
  const expected = `the ${check} template has exactly ${count} quick replies, in this order: ${meaning}`
  const index = buttons.findIndex(({ type }) => type.toUpperCase() !== 'QUICK_REPLY')
  const other = buttons[index]
  if (other)
    return `Button ${index + 1} of the template is of the type ${other.type}, but ${expected}. ${CREATE_ANOTHER}`
  if (buttons.length === count) return undefined
  return `The template has ${buttons.length === 0 ? 'no quick reply' : `${buttons.length} quick ${buttons.length === 1 ? 'reply' : 'replies'}`}, but ${expected}. ${CREATE_ANOTHER}`
}

const find = (components: readonly TemplateComponent[], wanted: string): TemplateComponent | undefined =>
  components.find(({ type }) => type === wanted)
