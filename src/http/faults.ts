import type { z } from 'zod'
import type { InputFault } from '../errors.ts'
import { keptSentences } from '../sentences.ts'

/** A fault of the input. With `hidesBody` there is no body for a schema to look at. */
export type Fault = InputFault & { hidesBody?: true }

/** A body of 64 KiB has room for thousands; nobody mends more than these in one go. */
export const FAULTS_MOST = 100
/** A field name is the caller's text: a pointer that would be longer ends at what holds the field. */
const POINTER_LENGTH_MOST = 200

/** What a schema found wrong in one part, in our words. Names fields, never echoes values. */
export function faultsOf(part: InputFault['in'], input: unknown, error: z.ZodError | undefined): InputFault[] {
  if (!error) return []
  return error.issues.slice(0, FAULTS_MOST).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ in: part, pointer: pointerTo(issue.path), detail: detailOf(issue, valueAt(input, issue.path)) }]
    }
    const detail = part === 'query' ? 'is not a query parameter of this request' : 'is not a field of this request'
    return issue.keys
      .slice(0, FAULTS_MOST)
      .map((key) => ({ in: part, pointer: pointerTo([...issue.path, key]), detail }))
  })
}

/** Schemas say what a value must be; only what they all share is said here. */
function detailOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (value === undefined) return 'is required'
  if (issue.expected === 'object') return 'must be an object'
  return issue.expected === 'array' ? 'must be an array' : issue.message
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

const pointerTo = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((pointer, step) => pointerInto(pointer, String(step)), '')

/** RFC 6901. */
function pointerInto(pointer: string, step: string): string {
  const longer = `${pointer}/${step.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
  return longer.length > POINTER_LENGTH_MOST ? pointer : longer
}

const says = keptSentences({
  unstorable: {
    en: 'must not hold NUL or unpaired surrogates',
    ar: 'فيه حرف لا يمكن حفظه؛ اكتبه من جديد',
  },
  unstorableName: {
    en: 'has a field name that holds NUL or unpaired surrogates',
    ar: 'فيه اسم حقل بحرف لا يمكن حفظه',
  },
})

/** A string that the database or another system could not hold as it is: NUL, or half of a surrogate pair. */
const isUnstorable = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** Faults of strings anywhere in a parsed JSON value. Without recursion: 64 KiB of brackets are 65,536 levels. */
export function unstorableText(body: unknown): Fault[] {
  const faults: Fault[] = []
  const open: { pointer: string; value: unknown }[] = [{ pointer: '', value: body }]
  for (let each = open.pop(); each && faults.length < FAULTS_MOST; each = open.pop()) {
    const { pointer, value } = each
    if (typeof value === 'string' && isUnstorable(value)) {
      faults.push({ in: 'body', pointer, detail: says.unstorable.en })
    }
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (isUnstorable(name)) {
        faults.push({ in: 'body', pointer, detail: says.unstorableName.en })
      }
      open.push({ pointer: pointerInto(pointer, name), value: member })
    }
  }
  return faults
}
