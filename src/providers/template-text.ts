import { BoundedMap } from '../lib/bounded-map.ts'
import type { TemplateComponent } from './provider.ts'

export type TextVariables = { form: 'positional' | 'named'; names: readonly string[] }

const VARIABLE = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** Each request reads the same few templates. */
const MAX_TEXTS = 1_000
const variablesByText = new BoundedMap<string, TextVariables>(MAX_TEXTS)

/**
 * The distinct variables of a template text: `{{1}}` is positional, `{{first_name}}` is named. Positional ones are
 * sorted by number.
 */
export function variablesOf(text: string): TextVariables {
  const known = variablesByText.get(text)
  if (known) return known
  const variables = readVariables(text)
  variablesByText.set(text, variables)
  return variables
}

function readVariables(text: string): TextVariables {
  const names = text.includes('{{') ? [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name ?? ''))] : []
  if (names.some((name) => !/^\d+$/.test(name))) return { form: 'named', names }
  return { form: 'positional', names: names.toSorted((a, b) => Number(a) - Number(b)) }
}

/** Replaces the variables that have a value. */
export const fill = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replaceAll(VARIABLE, (variable, name: string) => valueOf(name) ?? variable)

/** The form in which the text is submitted. */
export const tidy = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()

export const sampleOf = (samples: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(samples, name) ? (samples[name] ?? '') : ''

export const findComponent = (components: readonly TemplateComponent[], type: string): TemplateComponent | undefined =>
  components.find((component) => component.type === type)

/** The readable parts of a template, one per line, in the order that the phone shows. */
export function readableText(components: readonly TemplateComponent[]): string {
  const header = findComponent(components, 'HEADER')
  const parts = [
    header?.text ?? (header ? `[${header.format ?? 'HEADER'}]` : undefined),
    findComponent(components, 'BODY')?.text,
    findComponent(components, 'FOOTER')?.text,
    ...(findComponent(components, 'BUTTONS')?.buttons ?? []).map(({ type, text }) => `[${text ?? type}]`),
  ]
  return parts.filter((part) => part !== undefined).join('\n')
}
