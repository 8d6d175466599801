import { GraphError, reject } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { isObject } from '../reading.ts'

/** How to read one kind of object. A field exists if it is in `fields`. */
export type Kind<Row> = {
  readonly name: string
  readonly fields: Readonly<Record<string, (row: Row) => unknown>>
  /** The fields of a call that requests none. */
  readonly defaults: string
}

/** `name.limit(2){id,name}`: a field, its parameters, and its requested fields. */
export type RequestedField = {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
  readonly inner: string | undefined
  readonly fields: readonly RequestedField[] | undefined
}

export type Edges = Readonly<Record<string, (requested: RequestedField) => unknown>>

/** Graph sends only the requested fields, always with the id; an unknown field fails the whole call. */
export function readFields<Row>(
  { name: kind, fields, defaults }: Kind<Row>,
  requested: unknown,
  edges: Edges = {},
): (row: Row) => Record<string, unknown> {
  const listed = parseFields(requested === undefined || requested === '' ? defaults : requested)
  const unknown = listed.find(({ name }) => !Object.hasOwn(fields, name) && !Object.hasOwn(edges, name))
  if (unknown !== undefined) reject(100, `there is no field ${unknown.name} on ${kind}`)
  const all = listed.some(({ name }) => name === 'id') ? listed : [...listed, plainField('id')]
  return (row) => {
    const picked: Record<string, unknown> = {}
    for (const field of all) {
      const value = Object.hasOwn(fields, field.name)
        ? narrow(fields[field.name]?.(row), field)
        : edges[field.name]?.(field)
      if (value !== undefined) picked[field.name] = value
    }
    return picked
  }
}

/** Selects fields of a value that is not a Graph object, such as `throughput{level}`. Missing fields are left out. */
function narrow(value: unknown, { name, fields }: RequestedField): unknown {
  if (fields === undefined || value === undefined) return value
  if (Array.isArray(value)) return value.map((each) => narrow(each, { name, fields, parameters: {}, inner: undefined }))
  if (!isObject(value)) reject(100, `${name} has no fields of its own`)
  const present = fields.filter((field) => Object.hasOwn(value, field.name))
  return Object.fromEntries(present.map((field) => [field.name, narrow(value[field.name], field)]))
}

function plainField(name: string): RequestedField {
  return { name, parameters: {}, inner: undefined, fields: undefined }
}

function parseFields(requested: unknown): readonly RequestedField[] {
  if (typeof requested !== 'string') reject(100, 'fields must be a comma-separated list')
  const { fields, end } = parseList(requested, 0, 1)
  if (end < requested.length) throw syntaxError('end of string', requested, end)
  return fields
}

/** Parses from `at` to a closing brace or the end. Empty items between commas are skipped. */
function parseList(text: string, at: number, level: number): { fields: RequestedField[]; end: number } {
  if (level > EMULATOR_LIMITS.fieldLevels)
    reject(100, `fields may be nested ${EMULATOR_LIMITS.fieldLevels} levels deep`)
  const fields: RequestedField[] = []
  let end = at
  do {
    end = skip(/[\s,]*/y, text, end)
    const [all = '', name = '', modifiers = ''] = match(/(\w+)((?:\s*\.\w+\([^()]*\))*)\s*/y, text, end)
    if (name === '') break
    end += all.length
    const pairs = Array.from(modifiers.matchAll(/\.(\w+)\(([^()]*)\)/g), ([, key = '', value = '']) => [key, value])
    const field = { ...plainField(name), parameters: Object.fromEntries(pairs) as Record<string, string> }
    if (text[end] === '{') {
      const inner = parseList(text, end + 1, level + 1)
      if (text[inner.end] !== '}') throw syntaxError('}', text, inner.end)
      fields.push({ ...field, inner: text.slice(end + 1, inner.end), fields: inner.fields })
      end = skip(/\s*/y, text, inner.end + 1)
    } else fields.push(field)
  } while (text[end] === ',')
  return { fields, end }
}

function match(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at
  return pattern.exec(text) ?? []
}

const skip = (pattern: RegExp, text: string, at: number): number => at + (match(pattern, text, at)[0] ?? '').length

function syntaxError(expected: string, text: string, at: number): GraphError {
  const found = at < text.length ? `"${text[at]}"` : 'end of string'
  const message = `Syntax error "Expected ${expected} instead of ${found}." at character ${at}: ${text}`
  return new GraphError(2500, undefined, { message })
}
