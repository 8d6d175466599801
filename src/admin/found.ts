import { type PlainCode, plainText } from '../../locales/text.ts'
import { UserError } from '../lib/errors.ts'

type ResourceOf<Code> = Code extends `admin.missing_${infer Resource}` ? Resource : never
type Resource = ResourceOf<PlainCode>

/** The resource, if there is one. Another workspace's resource gets the same answer as a missing one. */
export function found<Value>(value: Value | undefined | null | false, resource: Resource): Value {
  if (value) return value
  throw new UserError(plainText(`admin.missing_${resource}`), 'NOT_FOUND')
}
