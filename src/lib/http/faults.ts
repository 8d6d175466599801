import type { z } from 'zod'
import type { InputFault } from '../errors.ts'
import { nearestName } from '../nearest-name.ts'
import { type CodedText, asWritten, readIssue } from '../../../locales/text.ts'

/** With `hidesBody` the body could not be read, so no schema checks it. */
export type Fault = InputFault & { hidesBody?: true }

export const headerFault = (name: string, detail: string): Fault => ({
  in: 'header',
  pointer: `/${name}`,
  detail: asWritten(detail),
})

/** A body of 64 KiB can have thousands of faults. */
export const MAX_FAULTS = 100
/** Field names are the client's text. A longer pointer is cut at the parent. */
const MAX_POINTER_LENGTH = 200

/** Names fields but never repeats values, which may be one-time codes. Misspelt fields come first: others are missing because of them. */
export function faultsOf(part: InputFault['in'], input: unknown, error: z.ZodError | undefined): InputFault[] {
  if (!error) return []
  const issues = error.issues.slice(0, MAX_FAULTS)
  const faults = issues.flatMap((issue): InputFault[] => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ in: part, pointer: pointerTo(issue.path), detail: detailOf(issue, valueAt(input, issue.path)) }]
    }
    const missing = issues.flatMap(({ path }) => missingNameIn(input, issue.path, path))
    const parent = pointerTo(issue.path)
    return issue.keys.slice(0, MAX_FAULTS).map((key) => {
      const pointer = pointerInto(parent, key)
      if (pointer === parent) return { in: part, pointer, detail: { code: 'http.unknown_long_name' } }
      return { in: part, pointer, detail: unknownName(part, nearestName(key, missing)) }
    })
  })
  return faults.toSorted((one, other) => Number(isMisspelt(other)) - Number(isMisspelt(one)))
}

function unknownName(part: InputFault['in'], meant: string | undefined): CodedText {
  if (part === 'query') return { code: 'http.unknown_query_parameter' }
  return meant === undefined ? { code: 'http.unknown_field' } : { code: MISSPELT, name: meant }
}

const MISSPELT = 'http.misspelt_field'
const isMisspelt = ({ detail }: InputFault): boolean => detail.code === MISSPELT

/** The last name of `path`, if the object at `parent` lacks it. */
function missingNameIn(input: unknown, parent: readonly PropertyKey[], path: readonly PropertyKey[]): string[] {
  const isMember = path.length === parent.length + 1 && parent.every((key, index) => path[index] === key)
  return isMember && valueAt(input, path) === undefined ? [String(path.at(-1))] : []
}

function detailOf(issue: z.core.$ZodIssue, value: unknown): CodedText {
  if (issue.code === 'invalid_type') {
    if (value === undefined) return { code: 'http.is_required' }
    if (issue.expected === 'object') return { code: 'http.must_be_an_object' }
    if (issue.expected === 'array') return { code: 'http.must_be_an_array' }
  }
  return readIssue(issue.message) ?? { code: 'http.not_valid' }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

const pointerTo = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((pointer, key) => pointerInto(pointer, String(key)), '')

/** RFC 6901. */
function pointerInto(pointer: string, key: string): string {
  const extended = `${pointer}/${key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
  return extended.length > MAX_POINTER_LENGTH ? pointer : extended
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const isUnstorable = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** An object or array, and how it was reached. The root has no parent. */
type Place = { value: object; name: PropertyKey; parent: Place | undefined; pointer?: string }

/** Checks every string of a parsed JSON value. Not recursive: 64 KiB of brackets nest 65,536 levels deep. */
export function findUnstorableText(body: unknown): Fault[] {
  const faults: Fault[] = []
  const pending: Place[] = []
  const add = (pointer: string, code: 'http.unstorable' | 'http.unstorable_name'): void => {
    if (faults.length < MAX_FAULTS) faults.push({ in: 'body', pointer, detail: { code } })
  }
  const check = (value: unknown, name: PropertyKey, parent?: Place): void => {
    if (typeof value === 'object' && value !== null) pending.push({ value, name, parent })
    else if (typeof value === 'string' && isUnstorable(value))
      add(parent ? pointerInto(pointerOf(parent), String(name)) : '', 'http.unstorable')
  }
  check(body, '')
  for (let place = pending.pop(); place; place = pending.pop()) {
    for (const name of Array.isArray(place.value) ? place.value.keys() : Object.keys(place.value)) {
      if (faults.length === MAX_FAULTS) return faults
      if (typeof name === 'string' && isUnstorable(name)) add(pointerOf(place), 'http.unstorable_name')
      check(Reflect.get(place.value, name), name, place)
    }
  }
  return faults
}

/** Made only for a fault, and once: pointers to all of half a million values would take seconds. */
function pointerOf(place: Place): string {
  const above: Place[] = []
  let pointer = ''
  for (let each: Place | undefined = place; each?.parent; each = each.parent) {
    if (each.pointer !== undefined) {
      ;({ pointer } = each)
      break
    }
    above.push(each)
  }
  for (const each of above.toReversed()) each.pointer = pointer = pointerInto(pointer, String(each.name))
  return pointer
}
