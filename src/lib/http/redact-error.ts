import { DatabaseUnavailable } from '../db/connection.ts'
import { type SafeFields, safeFieldsOf } from '../db/faults.ts'
import { faultOf, isTemporary } from '../db/pool.ts'
import { framesOf } from '../log.ts'

const MAX_CAUSES = 3
const MAX_FRAMES = 12

export type RedactedError = SafeFields & {
  name: string
  errorCode?: string
  message?: string
  frames: string[]
  cause?: RedactedError
}

/**
 * Only errors of the database keep their message, and not those that quote values (db/faults.ts): so do messages of
 * JSON.parse and of Node's argument checks, and a value may be a one-time code.
 */
export function redactError(error: unknown, causesLeft = MAX_CAUSES): RedactedError {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const code: unknown = Reflect.get(error, 'code')
  return {
    name: error.name,
    // Not "code": log.ts redacts that name, since it may be a one-time code.
    ...(typeof code === 'string' && { errorCode: code }),
    ...databaseFields(error),
    frames: framesOf(error).slice(0, MAX_FRAMES),
    ...(error.cause !== undefined && causesLeft > 0 && { cause: redactError(error.cause, causesLeft - 1) }),
  }
}

function databaseFields(error: Error): Partial<RedactedError> {
  if (error instanceof DatabaseUnavailable) return { message: error.message }
  const fault = faultOf(error)
  if (!fault) return {}
  return { ...(!fault.quotesValues && { message: error.message }), ...safeFieldsOf(error) }
}

/** For the log, which limits the lines about a database outage. */
export const failureFields = (error: unknown) => ({
  fault: redactError(error),
  ...(isTemporary(error) && { outage: true }),
})
