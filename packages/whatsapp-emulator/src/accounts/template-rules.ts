import { type ErrorCode, rejectManagement } from '../errors.ts'
import { META_LIMITS } from '../limits.ts'
import { TEMPLATE_LANGUAGES } from './template-texts.ts'
import { characters } from '../reading.ts'
import {
  type ParameterFormat,
  type TemplateButton,
  type TemplateComponent,
  appsOf,
  templateSeedSchema,
  variablesIn,
} from './templates.ts'
import { z } from 'zod'

export type NewTemplate = z.output<typeof templateSeedSchema>

const upper = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value)

/** The fields of a creation. Enums may be in any case; other members are ignored. */
const { name, language, category, components, parameter_format, message_send_ttl_seconds } = templateSeedSchema.shape
const creationSchema = z.object({
  name,
  language,
  category: z.preprocess(upper, category),
  components,
  parameter_format: z.preprocess(upper, parameter_format),
  message_send_ttl_seconds,
})

/** Seconds of time to live that may be chosen; -1 is always allowed and means 30 days. */
const TTL_SECONDS = { AUTHENTICATION: [30, 900], UTILITY: [30, 43_200], MARKETING: [43_200, 2_592_000] } as const

/** How many of each kind a template with its own texts can have. */
const MAX_BUTTONS: Record<string, number> = {
  QUICK_REPLY: META_LIMITS.templateButtons,
  URL: META_LIMITS.templateUrlButtons,
  PHONE_NUMBER: META_LIMITS.templatePhoneButtons,
  COPY_CODE: META_LIMITS.templateCouponButtons,
}

/** Every rule of a creation. Throws the first one broken. */
export function readNewTemplate(body: unknown): NewTemplate {
  const { data, error } = creationSchema.safeParse(body)
  if (data === undefined) {
    const issue = error.issues[0]
    rejectManagement(100, `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`)
  }
  const components = data.components.map(({ type, format, ...component }) => ({
    ...component,
    type: type.toUpperCase(),
    ...(format === undefined ? {} : { format: format.toUpperCase() }),
  }))
  const template = templateSeedSchema.parse({ ...data, components, status: 'PENDING' })
  checkName(template)
  checkTtl(template)
  checkComponentKinds(template.components)
  if (template.category === 'AUTHENTICATION') checkAuthentication(template.components)
  else checkTexts(template)
  return template
}

/** Rejects a template that breaks this rule. */
function rule(holds: boolean, text: string, code: ErrorCode = 100): asserts holds {
  if (!holds) rejectManagement(code, text)
}

function checkName({ name, language }: NewTemplate): void {
  const max = META_LIMITS.templateNameCharacters
  rule(/^[a-z0-9_]+$/.test(name), 'name: only lower-case letters, digits and underscore are allowed')
  rule(name.length <= max, `name: at most ${max} characters`, 2388040)
  rule(TEMPLATE_LANGUAGES.has(language), `language: ${language} is not a template language`)
}

function checkTtl({ category, message_send_ttl_seconds: seconds }: NewTemplate): void {
  if (seconds === undefined || seconds === -1) return
  const [min, max] = TTL_SECONDS[category]
  rule(seconds >= min && seconds <= max, `message_send_ttl_seconds: ${min} to ${max}, or -1, for ${category}`)
}

function checkComponentKinds(components: readonly TemplateComponent[]): void {
  const types = components.map((component) => component.type)
  const known = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']
  for (const type of types)
    rule(known.includes(type), `components: type ${type} is not supported by the emulator, only ${known.join(', ')}`)
  rule(new Set(types).size === types.length, 'components: each type can come once')
  rule(types.includes('BODY'), 'components: BODY is required', 2388072)
}

/** Meta writes the texts of these itself. */
function checkAuthentication(components: readonly TemplateComponent[]): void {
  for (const component of components) {
    const { type, text, code_expiration_minutes: minutes = 0 } = component
    rule(text === undefined, `${type}: text is written by Meta, leave it out`)
    rule(type !== 'HEADER', 'HEADER: authentication templates have none', 2388047)
    const isInRange = type !== 'FOOTER' || (minutes >= 1 && minutes <= 90)
    rule(isInRange, 'FOOTER: code_expiration_minutes must be 1 to 90', 2388073)
  }
  const [button, ...others] = components.find((component) => component.type === 'BUTTONS')?.buttons ?? []
  const isOtp = button?.type.toUpperCase() === 'OTP' && others.length === 0
  rule(isOtp, 'BUTTONS: exactly one button of type OTP is required')
  checkOtpButton(button)
}

function checkTexts({ components, parameter_format: format = 'POSITIONAL' }: NewTemplate): void {
  for (const component of components) {
    if (component.type === 'HEADER') checkHeader(component, format)
    if (component.type === 'BODY') checkBody(component, format)
    if (component.type === 'FOOTER') checkFooter(component)
    if (component.type === 'BUTTONS') checkButtons(component.buttons ?? [])
  }
}

function checkHeader(header: TemplateComponent, format: ParameterFormat): void {
  if (['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'].includes(header.format ?? '')) return
  rule(header.format === 'TEXT', 'HEADER: format must be TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION', 2388047)
  const text = requireText(header, META_LIMITS.templateHeaderCharacters, 2388047)
  const variables = variablesIn(text)
  rule(variables.length <= 1, 'HEADER: one variable at most', 2388047)
  checkVariables('HEADER', variables, format)
  const { header_text: list, header_text_named_params: named } = header.example ?? {}
  checkSamples('HEADER', variables, format === 'NAMED' ? named : list, format)
}

function checkBody(body: TemplateComponent, format: ParameterFormat): void {
  const text = requireText(body, META_LIMITS.templateBodyCharacters, 2388072)
  const variables = variablesIn(text)
  checkVariables('BODY', variables, format)
  rule(!/^\s*\{\{|\}\}\s*$/.test(text), 'BODY: text may not begin or end with a variable', 2388299)
  rule(!/\}\}\s*\{\{/.test(text), 'BODY: two variables may not stand side by side', 2388072)
  const words = text
    .replace(/\{\{[^{}]+\}\}/g, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  rule(words >= variables.length, 'BODY: the text is too short for this many variables', 2388293)
  const { body_text: list, body_text_named_params: named } = body.example ?? {}
  checkSamples('BODY', variables, format === 'NAMED' ? named : Array.isArray(list) && list[0], format)
}

function checkFooter(footer: TemplateComponent): void {
  const text = requireText(footer, META_LIMITS.templateFooterCharacters, 2388073)
  rule(variablesIn(text).length === 0, 'FOOTER: no variables', 2388073)
}

function requireText({ type, text = '' }: TemplateComponent, maxCharacters: number, code: ErrorCode): string {
  checkLength(text, `${type}: text`, maxCharacters, code)
  return text
}

function checkLength(text: string, what: string, maxCharacters: number, code?: ErrorCode): void {
  const isInRange = text !== '' && characters(text) <= maxCharacters
  rule(isInRange, `${what} must have 1 to ${maxCharacters} characters`, code)
}

function checkVariables(name: string, variables: readonly string[], format: ParameterFormat): void {
  if (format === 'NAMED') {
    for (const variable of variables)
      rule(
        /^[a-z][a-z0-9_]*$/.test(variable),
        `${name}: variable ${variable} must be lower-case letters and underscore`,
      )
    return
  }
  const isCounted = variables.toSorted((a, b) => Number(a) - Number(b)).every((each, at) => each === String(at + 1))
  rule(isCounted, `${name}: variables must be {{1}}, {{2}}… without gaps; names need parameter_format NAMED`)
}

function checkSamples(name: string, variables: readonly string[], example: unknown, format: ParameterFormat): void {
  if (variables.length === 0) return
  const samples: unknown[] = Array.isArray(example) ? example : []
  const names = samples.map((sample) => (sample as { param_name?: unknown } | null)?.param_name)
  const isComplete =
    format === 'NAMED' ? variables.every((variable) => names.includes(variable)) : samples.length === variables.length
  rule(isComplete, `${name}: example needs a sample for every variable`)
}

function checkButtons(buttons: readonly TemplateButton[]): void {
  const types = buttons.map((button) => button.type.toUpperCase())
  const isInRange = buttons.length >= 1 && buttons.length <= META_LIMITS.templateButtons
  rule(isInRange, `BUTTONS: 1 to ${META_LIMITS.templateButtons} buttons`)
  for (const type of new Set(types)) {
    const max = MAX_BUTTONS[type]
    rule(max !== undefined, `BUTTONS: type ${type} is not supported by the emulator`)
    rule(types.filter((other) => other === type).length <= max, `BUTTONS: at most ${max} of type ${type}`)
  }
  const runs = types.filter((type, at) => type === 'QUICK_REPLY' && types[at - 1] !== 'QUICK_REPLY').length
  rule(runs <= 1, 'BUTTONS: quick replies must stand together')
  for (const [index, button] of buttons.entries()) checkButton(button, types[index] ?? '', `BUTTONS[${index}]`)
}

function checkButton(button: TemplateButton, type: string, path: string): void {
  if (type !== 'COPY_CODE') checkLabel(button.text ?? '', path)
  if (type === 'URL') checkUrl(button, path)
  rule(type !== 'PHONE_NUMBER' || button.phone_number !== undefined, `${path}: phone_number is required`)
  rule(type !== 'COPY_CODE' || button.example !== undefined, `${path}: example is required`)
}

function checkUrl(button: TemplateButton, path: string): void {
  const { url = '', example } = button
  checkLength(url, `${path}: url`, META_LIMITS.templateUrlCharacters)
  const variables = variablesIn(url)
  if (variables.length === 0) return
  rule(variables.length === 1 && url.endsWith('}}'), `${path}: url can have one variable, at its end`)
  rule(Array.isArray(example) && example.length > 0, `${path}: example needs a sample for the variable`)
}

/** The only button of an authentication template. */
function checkOtpButton(button: TemplateButton): void {
  const path = 'BUTTONS[0]'
  const kind = (button.otp_type ?? '').toUpperCase()
  const isKnown = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(kind)
  rule(isKnown, `${path}: otp_type must be COPY_CODE, ONE_TAP or ZERO_TAP`)
  for (const text of [button.text, button.autofill_text]) if (text !== undefined) checkLabel(text, path)
  if (kind === 'COPY_CODE') return
  checkApps(button, path)
  const isAccepted = kind !== 'ZERO_TAP' || button.zero_tap_terms_accepted === true
  rule(isAccepted, `${path}: zero_tap_terms_accepted must be true`)
}

function checkApps(button: TemplateButton, path: string): void {
  const apps = appsOf(button)
  rule(apps.length >= 1 && apps.length <= 5, `${path}: supported_apps must hold 1 to 5 apps`)
  for (const app of apps) {
    rule(app.package_name.length <= 224, `${path}: package_name has at most 224 characters`)
    rule(app.signature_hash.length === 11, `${path}: signature_hash has exactly 11 characters`)
  }
}

const checkLabel = (text: string, path: string): void =>
  checkLength(text, `${path}: text`, META_LIMITS.templateButtonTextCharacters)
