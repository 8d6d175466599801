import { refuse } from './errors.ts'
import { META_LIMITS } from './limits.ts'
import { characters, findList, findText, isObject, requireObject, requireText } from './reading.ts'
import type { ShownButton, ShownMessage } from './messages.ts'
import type { Wire } from './reading.ts'
import type { ButtonShape, ParameterFormat, Template, TextPart } from './templates.ts'

export type FilledTemplate = { shown: ShownMessage; code: string | undefined; parameters: string[]; warnings: string[] }

type Given = { header: Wire | undefined; body: Wire | undefined; buttons: Map<number, Wire> }

/** Puts the parameters of a send into its template, as strictly as Meta does. */
export function fillTemplate(template: Template, components: unknown): FilledTemplate {
  const { shape, parameterFormat } = template
  const given = readComponents(components)
  const header =
    shape.header === undefined ? undefined : fillPart('header', shape.header, given.header, parameterFormat)
  if (shape.header === undefined && given.header !== undefined) refuse(132000, 'the template has no text header')
  const body = fillPart('body', shape.body, given.body, parameterFormat)
  const code = template.category === 'AUTHENTICATION' ? checkCode(body.values[0]) : undefined
  const buttons = fillButtons(shape.buttons, given.buttons)
  if (header !== undefined) checkLength('header', header.text, META_LIMITS.templateHeaderCharacters)
  checkLength('body', body.text, META_LIMITS.templateBodyCharacters)
  return {
    shown: { header: header?.text, body: body.text, footer: shape.footer, buttons, list: undefined },
    code,
    parameters: [...(header?.values ?? []), ...body.values],
    warnings: codeWarnings(code, buttons),
  }
}

function readComponents(components: unknown): Given {
  const given: Given = { header: undefined, body: undefined, buttons: new Map() }
  for (const [at, item] of findList(components, 'template.components').entries()) {
    const component = requireObject(item, `template.components[${at}]`)
    const type = requireText(component['type'], `template.components[${at}].type`).toLowerCase()
    if (type === 'button') addButton(given.buttons, component, at)
    else if (type === 'header' || type === 'body') {
      if (given[type] !== undefined) refuse(100, `template.components has more than one ${type}`)
      given[type] = component
    } else refuse(100, `template.components[${at}].type must be header, body or button`)
  }
  return given
}

function addButton(buttons: Map<number, Wire>, component: Wire, at: number): void {
  const given = component['index']
  if (given === undefined) refuse(131008, `template.components[${at}].index is required`)
  const index = typeof given === 'string' && /^\d$/.test(given) ? Number(given) : given
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= META_LIMITS.templateButtons) {
    refuse(131009, `template.components[${at}].index must be 0 to ${META_LIMITS.templateButtons - 1}`)
  }
  if (buttons.has(index)) refuse(131009, `two components are for the button at index ${index}`)
  buttons.set(index, component)
}

function fillPart(
  name: string,
  part: TextPart,
  given: Wire | undefined,
  format: ParameterFormat,
): { text: string; values: string[] } {
  const parameters = given === undefined ? [] : findList(given['parameters'], `${name} parameters`)
  if (given !== undefined && part.parameters.length === 0) {
    if (parameters.length === 0)
      refuse(132012, `the ${name} of the template takes no parameters: leave its component out`)
    refuse(132000, `${name}: ${parameters.length} parameters were given, the template takes none`)
  }
  const read = parameters.map((parameter, at) => readParameter(name, parameter, at))
  const byName = format === 'NAMED' ? namedValues(name, read, part) : positionalValues(name, read, part)
  const values = part.parameters.map((parameter) => byName.get(parameter) ?? '')
  const text = part.text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, parameter: string) => byName.get(parameter) ?? '')
  return { text, values }
}

type Parameter = { name: string | undefined; text: string }

function readParameter(part: string, parameter: unknown, at: number): Parameter {
  const path = `${part} parameters[${at}]`
  const given = requireObject(parameter, path)
  const name = findText(given['parameter_name'], `${path}.parameter_name`)
  const type = requireText(given['type'], `${path}.type`).toLowerCase()
  if (type === 'text') return { name, text: checkText(given['text'], `${path}.text`) }
  const localised = type === 'currency' || type === 'date_time' ? given[type] : undefined
  if (isObject(localised))
    return { name, text: checkText(localised['fallback_value'], `${path}.${type}.fallback_value`) }
  return refuse(132012, `${path}: the template expects text, not ${type}`)
}

function checkText(value: unknown, path: string): string {
  const text = requireText(value, path)
  if (/[\n\r\t]/.test(text) || text.includes(' '.repeat(META_LIMITS.templateParameterSpacesInARow + 1))) {
    refuse(132018, `${path} may not have new lines, tabs or more than 4 spaces in a row`)
  }
  return text
}

function positionalValues(name: string, read: Parameter[], part: TextPart): Map<string, string> {
  const named = read.find((parameter) => parameter.name !== undefined)
  if (named !== undefined)
    refuse(100, `${name}: parameter_name "${named.name}" was given, but the template counts its parameters`)
  if (read.length !== part.parameters.length) {
    refuse(132000, `${name}: ${read.length} parameters were given, the template takes ${part.parameters.length}`)
  }
  return new Map(read.map((parameter, at) => [String(at + 1), parameter.text]))
}

function namedValues(name: string, read: Parameter[], part: TextPart): Map<string, string> {
  const values = new Map<string, string>()
  for (const parameter of read) {
    if (parameter.name === undefined)
      refuse(100, `${name}: parameter_name is missing, and the template names its parameters`)
    if (!part.parameters.includes(parameter.name))
      refuse(100, `${name}: the template has no parameter_name "${parameter.name}"`)
    if (values.has(parameter.name)) refuse(100, `${name}: parameter_name "${parameter.name}" was given twice`)
    values.set(parameter.name, parameter.text)
  }
  if (values.size !== part.parameters.length) {
    refuse(132000, `${name}: ${values.size} parameters were given, the template takes ${part.parameters.length}`)
  }
  return values
}

function checkCode(code: string | undefined): string {
  if (code === undefined) refuse(132000, 'body: the code is missing')
  if (characters(code) > META_LIMITS.otpCodeCharacters) {
    refuse(131009, `body: a code has at most ${META_LIMITS.otpCodeCharacters} characters`)
  }
  return code
}

/** `index` counts every button of the template, also those that take nothing. */
function fillButtons(shapes: readonly ButtonShape[], given: Map<number, Wire>): ShownButton[] {
  for (const index of given.keys()) {
    if (index >= shapes.length) refuse(131009, `the template has no button at index ${index}`)
  }
  return shapes.map((shape, index) => fillButton(shape, index, given.get(index)))
}

function fillButton(shape: ButtonShape, index: number, component: Wire | undefined): ShownButton {
  const button = { index, type: shape.type, text: shape.text, ...(shape.url === undefined ? {} : { url: shape.url }) }
  if (component === undefined) {
    if (shape.takes === 'payload') return { ...button, payload: shape.text }
    if (shape.takes === 'nothing') return button
    return refuse(131008, `the button at index ${index} of type ${subTypeOf(shape)} needs its component`)
  }
  if (shape.takes === 'nothing')
    refuse(132012, `the button at index ${index} takes no parameter: leave its component out`)
  const value = buttonValue(shape, index, component)
  if (shape.takes === 'payload') return { ...button, payload: value }
  if (shape.takes === 'url_suffix') return { ...button, url: (shape.url ?? '').replace(/\{\{[^{}]+\}\}/, () => value) }
  return { ...button, code: value }
}

function buttonValue(shape: ButtonShape, index: number, component: Wire): string {
  const path = `button at index ${index}`
  const expected = subTypeOf(shape)
  const subType = requireText(component['sub_type'], `${path}: sub_type`).toLowerCase()
  if (subType !== expected) refuse(131009, `${path}: the template has a ${expected} button there, not ${subType}`)
  const parameters = findList(component['parameters'], `${path}: parameters`)
  if (parameters.length === 0) refuse(131008, `${path}: its parameter is required`)
  if (parameters.length > 1) refuse(132000, `${path}: ${parameters.length} parameters were given, it takes 1`)
  const parameter = requireObject(parameters[0], `${path}: parameter`)
  const type = requireText(parameter['type'], `${path}: parameter type`).toLowerCase()
  const wanted = shape.takes === 'payload' ? 'payload' : shape.takes === 'coupon' ? 'coupon_code' : 'text'
  if (type !== wanted) refuse(132012, `${path}: its parameter must be of type ${wanted}, not ${type}`)
  if (wanted === 'text') return checkText(parameter['text'], `${path}: text`)
  const value = requireText(parameter[wanted], `${path}: ${wanted}`)
  if (wanted === 'payload' && characters(value) > META_LIMITS.quickReplyPayloadCharacters) {
    refuse(131009, `${path}: a payload has at most ${META_LIMITS.quickReplyPayloadCharacters} characters`)
  }
  return value
}

/** Copy-code buttons of authentication templates are sent as "url"; "copy_code" is for coupons. */
function subTypeOf(shape: ButtonShape): string {
  if (shape.takes === 'code' || shape.takes === 'url_suffix') return 'url'
  return shape.type.toLowerCase()
}

function checkLength(name: string, text: string, limit: number): void {
  if (characters(text) > limit)
    refuse(132005, `${name}: the text with its parameters is longer than ${limit} characters`)
}

function codeWarnings(code: string | undefined, buttons: readonly ShownButton[]): string[] {
  const other = buttons.some((button) => code !== undefined && button.code !== undefined && button.code !== code)
  return other ? ['the button copies another code than the text shows'] : []
}
