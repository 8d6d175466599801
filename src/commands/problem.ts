import { randomUUID } from 'node:crypto'
import { CannotStart } from '../cannot-start.ts'
import { ConfigInvalid } from '../config.ts'
import { isDatabaseUnavailable } from '../db.ts'
import { Refusal, type RefusalCode, refusals } from '../errors.ts'
import { ProviderRefused, ProviderUnreachable } from '../providers/provider.ts'
import { SetupRefused } from '../setup-refused.ts'
import { WorkspaceUnknown } from '../workspaces/keys.ts'
import { UsageMistake } from './parse.ts'

/** A problem body (contract §2, §9) of what went wrong with a command. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: RefusalCode
  correlationId: string
}

export function problemOf(error: unknown, origin: string): Problem {
  const code = codeOf(error)
  const { title, status } = refusals[code]
  const correlationId = randomUUID()
  return {
    type: `${origin}/problems/${code}`,
    title,
    status,
    detail: detailOf(error, code),
    instance: `urn:uuid:${correlationId}`,
    code,
    correlationId,
  }
}

function codeOf(error: unknown): RefusalCode {
  if (error instanceof Refusal || error instanceof SetupRefused) return error.code
  if (error instanceof WorkspaceUnknown) return 'NOT_FOUND'
  if (error instanceof UsageMistake || error instanceof ConfigInvalid || error instanceof ProviderRefused) {
    return 'DEVELOPER_INVALID_INPUT'
  }
  if (error instanceof ProviderUnreachable || error instanceof CannotStart || isDatabaseUnavailable(error))
    return 'SERVICE_UNAVAILABLE'
  return 'INTERNAL_ERROR'
}

/** A fault of ours may quote anything, a secret included: its place in the code is told, not its words. */
function detailOf(error: unknown, code: RefusalCode): string {
  if (code === 'INTERNAL_ERROR') return `a fault of Doorcode${placeOf(error)}`
  if (code === 'SERVICE_UNAVAILABLE' && !saysWhatIsMissing(error)) return 'the database went away meanwhile: try again'
  return error instanceof Error ? error.message : String(error)
}

const saysWhatIsMissing = (error: unknown): boolean =>
  error instanceof CannotStart || error instanceof SetupRefused || error instanceof ProviderUnreachable

function placeOf(error: unknown): string {
  const place = error instanceof Error ? /(src\/[^:)]+:\d+)/.exec(error.stack ?? '')?.[1] : undefined
  return place ? ` at ${place}` : ''
}
