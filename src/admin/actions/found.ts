import { type PlainCode, plainText } from '../../../locales/text.ts'
import { UserError } from '../../lib/errors.ts'

type ResourceOf<Code> = Code extends `admin.missing_${infer Resource}` ? Resource : never
type Resource = ResourceOf<PlainCode>

/** Returns the resource, or throws if it is missing. Another workspace's resource counts as missing. */
export function found<Value>(value: Value | undefined | null | false, resource: Resource): Value {
  if (value) return value
  throw new UserError(plainText(`admin.missing_${resource}`), 'NOT_FOUND')
}
