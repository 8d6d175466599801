import { StartupError, ApiError, type ApiErrorCode, UserError } from '../../lib/errors.ts'
import { ConfigError } from '../../lib/config.ts'
import { isTemporary } from '../../lib/db/pool.ts'
import { ProviderRejectedError, ProviderUnreachableError } from '../../providers/provider.ts'
import { UsageError } from './parse.ts'

/** The code and detail of the problem (docs/api.md#errors) that a command prints for an error. */
export function toProblem(error: unknown): { code: ApiErrorCode; detail: string } {
  const code = codeOf(error)
  return { code, detail: detailOf(error, code) }
}

function codeOf(error: unknown): ApiErrorCode {
  if (error instanceof ApiError || error instanceof UserError) return error.code
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof ProviderRejectedError)
    return 'DEVELOPER_INVALID_INPUT'
  return isWrittenForUsers(error) || isTemporary(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
}

const isWrittenForUsers = (error: unknown): error is Error =>
  error instanceof StartupError || error instanceof UserError || error instanceof ProviderUnreachableError

/** The message of an internal error may quote anything, a secret included: only its place in the code is shown. */
function detailOf(error: unknown, code: ApiErrorCode): string {
  if (code === 'INTERNAL_ERROR') return `internal error in Doorcode${placeOf(error)}`
  if (code === 'SERVICE_UNAVAILABLE' && !isWrittenForUsers(error)) return 'the database is unavailable: try again'
  return error instanceof Error ? error.message : String(error)
}

function placeOf(error: unknown): string {
  const place = error instanceof Error ? /(src\/[^:)]+:\d+)/.exec(error.stack ?? '')?.[1] : undefined
  return place ? ` at ${place}` : ''
}
