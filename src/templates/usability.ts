import type { ProviderTemplate } from '../providers/provider.ts'
import { isOtpButton } from './otp-button.ts'
import { parametersOf } from './parameters.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

const CREATE_ANOTHER = 'Create an authentication template in WhatsApp Manager and use that.'

/** Why a template cannot carry a one-time code (spec §4.2, contract §8), and what to do. Undefined when it can. */
export function otpUnusableReason(template: Template): string | undefined {
  return (
    statusReason(template.status) ??
    categoryReason(template.category) ??
    headerReason(template) ??
    bodyReason(template) ??
    buttonReason(template)
  )
}

const WAIT_FOR = {
  PENDING: 'Wait until WhatsApp has reviewed it.',
  IN_APPEAL: 'Wait until WhatsApp has decided on the appeal.',
  PAUSED: 'Wait until WhatsApp ends the pause, or use another template.',
  REJECTED: 'Edit it in WhatsApp Manager, or use another template.',
} as const satisfies Record<string, string>

function statusReason(status: string): string | undefined {
  if (status === 'APPROVED') return undefined
  const remedy = Object.entries(WAIT_FOR).find(([name]) => name === status)?.[1]
  return `The template has the status ${status}, and only APPROVED ones can be sent. ${remedy ?? 'Use another template.'}`
}

function categoryReason(category: string): string | undefined {
  if (category === 'AUTHENTICATION') return undefined
  return `The template has the category ${category}, and one-time codes go by AUTHENTICATION alone. ${CREATE_ANOTHER}`
}

function headerReason({ components }: Template): string | undefined {
  const header = components.find(({ type }) => type === 'HEADER')
  if (!header) return undefined
  if ((header.format ?? 'TEXT') !== 'TEXT')
    return `The template has a header of the format ${header.format}, and a code fills no header. ${CREATE_ANOTHER}`
  if (parametersOf(header.text ?? '').names.length > 0)
    return `The template's header has a parameter, and a code fills no header. ${CREATE_ANOTHER}`
  return undefined
}

function bodyReason({ components }: Template): string | undefined {
  const bodies = components.filter(({ type }) => type === 'BODY')
  if (bodies.length !== 1)
    return `The template has ${bodies.length === 0 ? 'no body' : 'more than one body'}. ${CREATE_ANOTHER}`
  const { names, form } = parametersOf(bodies[0]?.text ?? '')
  if (names.length !== 1)
    return `The template's body has ${names.length === 0 ? 'no parameter' : `${names.length} parameters`} instead of exactly one, the code. ${CREATE_ANOTHER}`
  if (form === 'positional' && names[0] !== '1')
    return `The template's body has the parameter {{${names[0]}}} instead of {{1}}. ${CREATE_ANOTHER}`
  return undefined
}

function buttonReason({ components }: Template): string | undefined {
  const buttons = components.filter(({ type }) => type === 'BUTTONS').flatMap((component) => component.buttons ?? [])
  const index = buttons.findIndex((button) => !isOtpButton(button))
  const button = buttons[index]
  if (!button) return undefined
  return `Button ${index + 1} of the template is of the type ${button.type} and no one-time-code button (copy code, one-tap or zero-tap). ${CREATE_ANOTHER}`
}
