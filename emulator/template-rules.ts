import { refuseManagement } from './errors.ts'
import { LANGUAGES } from './languages.ts'
import { META_LIMITS } from './limits.ts'
import { checkButtons, checkOtpButton } from './template-button-rules.ts'
import { characters } from './reading.ts'
import { templateSeedSchema, variablesIn } from './templates.ts'
import type { z } from 'zod'
import type { ParameterFormat, TemplateComponent } from './templates.ts'

export type NewTemplate = z.output<typeof templateSeedSchema>

const creationSchema = templateSeedSchema
  .omit({ id: true, status: true, rejected_reason: true, quality_score: true })
  .loose()

/** Seconds of time to live that may be chosen; -1 is always allowed and means 30 days. */
const TTL_SECONDS = { AUTHENTICATION: [30, 900], UTILITY: [30, 43_200], MARKETING: [43_200, 2_592_000] } as const

/** Every rule of a creation. Throws the first one broken. */
export function readNewTemplate(body: unknown): NewTemplate {
  const read = creationSchema.safeParse(withCapitals(body))
  if (!read.success) {
    const issue = read.error.issues[0]
    refuseManagement(100, `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`)
  }
  const template = templateSeedSchema.parse({ ...picked(read.data), status: 'PENDING' })
  checkName(template)
  checkTtl(template)
  checkComponentKinds(template.components)
  if (template.category === 'AUTHENTICATION') checkAuthentication(template.components)
  else checkTexts(template)
  return template
}

/** Creation enums are taken in any case. */
function withCapitals(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const given = body as Record<string, unknown>
  const upper = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value)
  return { ...given, category: upper(given['category']), parameter_format: upper(given['parameter_format']) }
}

function picked({
  name,
  language,
  category,
  components,
  parameter_format,
  message_send_ttl_seconds,
}: z.output<typeof creationSchema>) {
  const upper = components.map((component) => ({
    ...component,
    type: component.type.toUpperCase(),
    ...(component.format === undefined ? {} : { format: component.format.toUpperCase() }),
  }))
  return { name, language, category, components: upper, parameter_format, message_send_ttl_seconds }
}

function checkName({ name, language }: NewTemplate): void {
  if (!/^[a-z0-9_]+$/.test(name))
    refuseManagement(100, 'name: only lower-case letters, digits and underscore are allowed')
  if (name.length > META_LIMITS.templateNameCharacters) {
    refuseManagement(2388040, `name: at most ${META_LIMITS.templateNameCharacters} characters`)
  }
  if (!LANGUAGES.has(language)) refuseManagement(100, `language: ${language} is not a template language`)
}

function checkTtl({ category, message_send_ttl_seconds: seconds }: NewTemplate): void {
  if (seconds === undefined || seconds === -1) return
  const [least, most] = TTL_SECONDS[category]
  if (seconds < least || seconds > most) {
    refuseManagement(100, `message_send_ttl_seconds: ${least} to ${most}, or -1, for ${category}`)
  }
}

function checkComponentKinds(components: readonly TemplateComponent[]): void {
  const types = components.map((component) => component.type)
  const known = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']
  const odd = types.find((type) => !known.includes(type))
  if (odd !== undefined)
    refuseManagement(100, `components: type ${odd} is not known to the twin: it has ${known.join(', ')}`)
  if (new Set(types).size < types.length) refuseManagement(100, 'components: each type can come once')
  if (!types.includes('BODY')) refuseManagement(2388072, 'components: BODY is required')
}

/** Meta writes the texts of these itself. */
function checkAuthentication(components: readonly TemplateComponent[]): void {
  for (const component of components) {
    if (component.text !== undefined) refuseManagement(100, `${component.type}: text is written by Meta, leave it out`)
    if (component.type === 'HEADER') refuseManagement(2388047, 'HEADER: authentication templates have none')
    const minutes = component.code_expiration_minutes
    if (component.type === 'FOOTER' && (minutes === undefined || minutes < 1 || minutes > 90)) {
      refuseManagement(2388073, 'FOOTER: code_expiration_minutes must be 1 to 90')
    }
  }
  const buttons = components.find((component) => component.type === 'BUTTONS')?.buttons ?? []
  const button = buttons[0]
  if (button === undefined || buttons.length > 1 || button.type.toUpperCase() !== 'OTP') {
    return refuseManagement(100, 'BUTTONS: exactly one button of type OTP is required')
  }
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
  if (header.format !== 'TEXT')
    refuseManagement(2388047, 'HEADER: format must be TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION')
  const text = header.text ?? ''
  if (text === '' || characters(text) > META_LIMITS.templateHeaderCharacters) {
    refuseManagement(2388047, `HEADER: text must have 1 to ${META_LIMITS.templateHeaderCharacters} characters`)
  }
  const variables = variablesIn(text)
  if (variables.length > 1) refuseManagement(2388047, 'HEADER: one variable at most')
  checkVariables('HEADER', variables, format)
  checkSamples(
    'HEADER',
    variables,
    format,
    header.example?.['header_text'],
    header.example?.['header_text_named_params'],
  )
}

function checkBody(body: TemplateComponent, format: ParameterFormat): void {
  const text = body.text ?? ''
  if (text === '' || characters(text) > META_LIMITS.templateBodyCharacters) {
    refuseManagement(2388072, `BODY: text must have 1 to ${META_LIMITS.templateBodyCharacters} characters`)
  }
  const variables = variablesIn(text)
  checkVariables('BODY', variables, format)
  if (/^\s*\{\{|\}\}\s*$/.test(text)) refuseManagement(2388299, 'BODY: text may not begin or end with a variable')
  if (/\}\}\s*\{\{/.test(text)) refuseManagement(2388072, 'BODY: two variables may not stand side by side')
  const words = text
    .replace(/\{\{[^{}]+\}\}/g, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  if (words < variables.length) refuseManagement(2388293, 'BODY: the text is too short for this many variables')
  const list = body.example?.['body_text']
  const samples = Array.isArray(list) ? list[0] : undefined
  checkSamples('BODY', variables, format, samples, body.example?.['body_text_named_params'])
}

function checkFooter(footer: TemplateComponent): void {
  const text = footer.text ?? ''
  if (text === '' || characters(text) > META_LIMITS.templateFooterCharacters) {
    refuseManagement(2388073, `FOOTER: text must have 1 to ${META_LIMITS.templateFooterCharacters} characters`)
  }
  if (variablesIn(text).length > 0) refuseManagement(2388073, 'FOOTER: no variables')
}

function checkVariables(name: string, variables: readonly string[], format: ParameterFormat): void {
  if (format === 'NAMED') {
    const odd = variables.find((variable) => !/^[a-z][a-z0-9_]*$/.test(variable))
    if (odd !== undefined) refuseManagement(100, `${name}: variable ${odd} must be lower-case letters and underscore`)
    return
  }
  const sorted = variables.toSorted((a, b) => Number(a) - Number(b))
  if (sorted.some((variable, at) => variable !== String(at + 1))) {
    refuseManagement(100, `${name}: variables must be {{1}}, {{2}}… without gaps; names need parameter_format NAMED`)
  }
}

function checkSamples(
  name: string,
  variables: readonly string[],
  format: ParameterFormat,
  list: unknown,
  named: unknown,
): void {
  if (variables.length === 0) return
  const given: unknown[] = Array.isArray(format === 'NAMED' ? named : list)
    ? ((format === 'NAMED' ? named : list) as unknown[])
    : []
  const names = given.map((sample) =>
    format === 'NAMED' ? (sample as { param_name?: unknown } | null)?.param_name : undefined,
  )
  const complete =
    format === 'NAMED' ? variables.every((variable) => names.includes(variable)) : given.length === variables.length
  if (!complete) refuseManagement(100, `${name}: example needs a sample for every variable`)
}
