import { reject } from '../errors.ts'
import { optionalText } from '../reading.ts'
import { type Template, CATEGORIES, QUALITY_SCORES, TEMPLATE_STATUSES } from './templates.ts'

type Matches = (template: Template) => boolean
/** Reads the query's value for this filter. */
type Filter = (value: unknown, name: string) => Matches

/**
 * The filters of `GET /{waba_id}/message_templates`, as Meta's SDKs type them. Meta's pages say neither that texts are
 * matched in part and in any case, nor that `since` and `until` are about the creation: both are the emulator's choice.
 */
const FILTERS: Readonly<Record<string, Filter>> = {
  name: contains(({ name }) => [name]),
  content: contains(textsOf),
  name_or_content: contains((template) => [template.name, ...textsOf(template)]),
  language: isOneOf(({ language }) => language),
  status: isOneOf(({ status }) => status, TEMPLATE_STATUSES),
  category: isOneOf(({ category }) => category, CATEGORIES),
  quality_score: isOneOf(({ qualityScore }) => qualityScore, QUALITY_SCORES),
  since: isCreated((createdAt, since) => createdAt >= since),
  until: isCreated((createdAt, until) => createdAt <= until),
}

export function templateFilter(query: Record<string, unknown>): Matches {
  const used = Object.entries(FILTERS).filter(([name]) => query[name] !== undefined)
  const all = used.map(([name, filter]) => filter(query[name], name))
  return (template) => all.every((matches) => matches(template))
}

function contains(textsOf: (template: Template) => readonly string[]): Filter {
  return (value, name) => {
    const needle = (optionalText(value, name) ?? '').toLowerCase()
    return (template) => textsOf(template).some((text) => text.toLowerCase().includes(needle))
  }
}

/** With `known`, in any case; a value that is none of these fails the call. */
function isOneOf(valueOf: (template: Template) => string, known?: readonly string[]): Filter {
  return (value, name) => {
    const listed = readList(value, name).map((each) => (known === undefined ? each : each.toUpperCase()))
    const unknown = listed.find((each) => known?.includes(each) === false)
    if (unknown !== undefined) reject(100, `${name}: ${unknown} is none of ${known?.join(', ')}`)
    const allowed = new Set(listed)
    return (template) => allowed.has(valueOf(template))
  }
}

/** One value, a JSON list of them, or the parameter several times. */
function readList(value: unknown, name: string): string[] {
  const listed =
    typeof value === 'string' && value.trimStart().startsWith('[') ? parseList(value, name) : [value].flat()
  if (!listed.every((each) => typeof each === 'string')) reject(100, `${name} must be a list of strings`)
  return listed
}

function parseList(value: string, name: string): unknown[] {
  try {
    return [JSON.parse(value) as unknown].flat()
  } catch {
    return reject(100, `${name} is not a valid JSON list`)
  }
}

/** Unix seconds, or a date as Meta's pages write them. */
function isCreated(fits: (createdAt: number, instantMs: number) => boolean): Filter {
  return (value, name) => {
    const text = optionalText(value, name) ?? ''
    const instantMs = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Date.parse(text)
    if (Number.isNaN(instantMs)) reject(100, `${name} must be Unix seconds or a date`)
    return ({ createdAt }) => fits(createdAt, instantMs)
  }
}

function textsOf({ shape }: Template): string[] {
  const texts = [shape.header?.text, shape.body.text, shape.footer, ...shape.buttons.map(({ text }) => text)]
  return texts.filter((text) => text !== undefined)
}
