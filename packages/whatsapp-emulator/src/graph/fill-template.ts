import { reject } from '../errors.ts'
import { META_LIMITS } from '../limits.ts'
import { type ObjectReader, characters, isObject } from '../reading.ts'
import type { ShownButton, ShownMessage } from '../wire/chats.ts'
import type { ButtonShape, ParameterFormat, Template, TextPart } from '../accounts/templates.ts'

export type FilledTemplate = { shown: ShownMessage; code: string | undefined; parameters: string[]; warnings: string[] }

/** The components of a send. */
type Components = { header?: ObjectReader; body?: ObjectReader; buttons: Map<number, ObjectReader> }

/** Puts the parameters of a send into its template, as strictly as Meta does. */
export function fillTemplate(template: Template, components: readonly ObjectReader[]): FilledTemplate {
  const { shape, parameterFormat } = template
  const sent = readComponents(components)
  const header = shape.header && fillPart('header', shape.header, sent.header, parameterFormat)
  if (shape.header === undefined && sent.header !== undefined) reject(132000, 'the template has no text header')
  const body = fillPart('body', shape.body, sent.body, parameterFormat)
  const code = template.category === 'AUTHENTICATION' ? checkCode(body.values[0]) : undefined
  const buttons = fillButtons(shape.buttons, sent.buttons)
  if (header !== undefined) checkLength('header', header.text, META_LIMITS.templateHeaderCharacters)
  checkLength('body', body.text, META_LIMITS.templateBodyCharacters)
  return {
    shown: { header: header?.text, body: body.text, footer: shape.footer, buttons },
    code,
    parameters: [...(header?.values ?? []), ...body.values],
    warnings: codeWarnings(code, buttons),
  }
}

function readComponents(components: readonly ObjectReader[]): Components {
  const sent: Components = { buttons: new Map() }
  for (const component of components) {
    const type = component.text('type').toLowerCase()
    if (type === 'button') addButton(sent.buttons, component)
    else if (type === 'header' || type === 'body') {
      if (sent[type] !== undefined) reject(100, `template.components has more than one ${type}`)
      sent[type] = component
    } else reject(100, `${component.path}.type must be header, body or button`)
  }
  return sent
}

function addButton(buttons: Map<number, ObjectReader>, component: ObjectReader): void {
  const value = component.get('index')
  if (value === undefined) reject(131008, `${component.path}.index is required`)
  const index = typeof value === 'string' && /^\d$/.test(value) ? Number(value) : value
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= META_LIMITS.templateButtons)
    reject(131009, `${component.path}.index must be 0 to ${META_LIMITS.templateButtons - 1}`)
  if (buttons.has(index)) reject(131009, `two components are for the button at index ${index}`)
  buttons.set(index, component)
}

function fillPart(
  name: string,
  part: TextPart,
  component: ObjectReader | undefined,
  format: ParameterFormat,
): { text: string; values: string[] } {
  const parameters = component?.findList('parameters') ?? []
  if (component !== undefined && part.parameters.length === 0) {
    if (parameters.length === 0)
      reject(132012, `the ${name} of the template takes no parameters: leave its component out`)
    reject(132000, `${name}: ${parameters.length} parameters were given, but the template takes none`)
  }
  const read = parameters.map(readParameter)
  const byName = valuesByName(name, read, part, format)
  const values = part.parameters.map((parameter) => byName.get(parameter) ?? '')
  const text = part.text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, parameter: string) => byName.get(parameter) ?? '')
  return { text, values }
}

type Parameter = { name: string | undefined; text: string }

function readParameter(parameter: ObjectReader): Parameter {
  const name = parameter.findText('parameter_name')
  const type = parameter.text('type').toLowerCase()
  if (type === 'text') return { name, text: readText(parameter, 'text') }
  const isLocalised = (type === 'currency' || type === 'date_time') && isObject(parameter.get(type))
  if (isLocalised) return { name, text: readText(parameter.object(type), 'fallback_value') }
  return reject(132012, `${parameter.path}: the template expects text, not ${type}`)
}

function readText(object: ObjectReader, name: string): string {
  const text = object.text(name)
  if (/[\n\r\t]/.test(text) || text.includes(' '.repeat(META_LIMITS.templateParameterSpacesInARow + 1)))
    reject(132018, `${object.path}.${name} may not have new lines, tabs or more than 4 spaces in a row`)
  return text
}

/** Values by parameter name. In a positional template the name is the position. */
function valuesByName(name: string, read: Parameter[], part: TextPart, format: ParameterFormat): Map<string, string> {
  const values = new Map<string, string>()
  for (const [at, { name: sentName, text }] of read.entries()) {
    if (format === 'NAMED') {
      if (sentName === undefined)
        reject(100, `${name}: parameter_name is missing, and the template names its parameters`)
      if (!part.parameters.includes(sentName)) reject(100, `${name}: the template has no parameter_name "${sentName}"`)
      if (values.has(sentName)) reject(100, `${name}: parameter_name "${sentName}" was given twice`)
    } else if (sentName !== undefined)
      reject(100, `${name}: parameter_name "${sentName}" was given, but the template counts its parameters`)
    values.set(sentName ?? String(at + 1), text)
  }
  if (values.size !== part.parameters.length)
    reject(132000, `${name}: ${values.size} parameters were given, but the template takes ${part.parameters.length}`)
  return values
}

function checkCode(code: string | undefined): string {
  if (code === undefined) reject(132000, 'body: the code is missing')
  if (characters(code) > META_LIMITS.otpCodeCharacters)
    reject(131009, `body: a code has at most ${META_LIMITS.otpCodeCharacters} characters`)
  return code
}

/** `index` counts every button of the template, including those that take nothing. */
function fillButtons(shapes: readonly ButtonShape[], components: Map<number, ObjectReader>): ShownButton[] {
  for (const index of components.keys()) {
    if (index >= shapes.length) reject(131009, `the template has no button at index ${index}`)
  }
  return shapes.map((shape, index) => fillButton(shape, index, components.get(index)))
}

function fillButton(shape: ButtonShape, index: number, component: ObjectReader | undefined): ShownButton {
  const { type, text, url } = shape
  const button = { index, type, text, ...(url !== undefined && { url }) }
  if (component === undefined) {
    if (shape.takes === 'payload') return { ...button, payload: text }
    if (shape.takes === 'nothing') return button
    return reject(131008, `the button at index ${index} of type ${TAKEN[shape.takes].subType} needs its component`)
  }
  if (shape.takes === 'nothing')
    reject(132012, `the button at index ${index} takes no parameter: leave its component out`)
  const value = buttonValue(TAKEN[shape.takes], index, component)
  if (shape.takes === 'payload') return { ...button, payload: value }
  if (shape.takes === 'url_suffix') return { ...button, url: (url ?? '').replace(/\{\{[^{}]+\}\}/, () => value) }
  return { ...button, code: value }
}

/** Copy-code buttons of authentication templates are sent as "url"; "copy_code" is for coupons. */
const TAKEN = {
  code: { subType: 'url', parameterType: 'text' },
  url_suffix: { subType: 'url', parameterType: 'text' },
  payload: { subType: 'quick_reply', parameterType: 'payload' },
  coupon: { subType: 'copy_code', parameterType: 'coupon_code' },
} as const

function buttonValue(taken: (typeof TAKEN)[keyof typeof TAKEN], index: number, component: ObjectReader): string {
  const { subType, parameterType } = taken
  const path = `button at index ${index}`
  const sentType = component.text('sub_type').toLowerCase()
  if (sentType !== subType) reject(131009, `${path}: the template has a ${subType} button there, not ${sentType}`)
  const [parameter, ...others] = component.findList('parameters')
  if (parameter === undefined) return reject(131008, `${path}: its parameter is required`)
  if (others.length > 0) reject(132000, `${path}: ${others.length + 1} parameters were given, it takes 1`)
  const type = parameter.text('type').toLowerCase()
  if (type !== parameterType) reject(132012, `${path}: its parameter must be of type ${parameterType}, not ${type}`)
  if (parameterType === 'text') return readText(parameter, 'text')
  const isPayload = parameterType === 'payload'
  return parameter.text(parameterType, isPayload ? META_LIMITS.quickReplyPayloadCharacters : undefined)
}

function checkLength(name: string, text: string, limit: number): void {
  if (characters(text) > limit)
    reject(132005, `${name}: the text with its parameters is longer than ${limit} characters`)
}

function codeWarnings(code: string | undefined, buttons: readonly ShownButton[]): string[] {
  const other = buttons.some((button) => code !== undefined && button.code !== undefined && button.code !== code)
  return other ? ['the button copies another code than the text shows'] : []
}
