import type { components, errorCodes } from './api.gen.ts'
import type { OperationName } from './routes.ts'

/** The codes that a call is known to return. A later release of the instance may return others. */
export type ErrorCode<Name extends OperationName = OperationName> =
  | errorCodes[Name]
  | components['schemas']['LaterValue']

export type Problem = components['schemas']['Problem']

type Facts<Name extends OperationName> = {
  operation: Name
  status: number
  problem: Problem
  idempotencyKey: string | undefined
  retryAfterMs: number | undefined
}

/** The instance rejected the request. `message` says why; `help` is a page with cause and remedy. */
export class DoorcodeError<Name extends OperationName = OperationName> extends Error {
  override readonly name = 'DoorcodeError'
  readonly operation: Name
  readonly status: number
  readonly code: ErrorCode<Name>
  /** Every fault of the request, with `DEVELOPER_INVALID_INPUT`; otherwise empty. */
  readonly faults: NonNullable<Problem['errors']>
  /** The key that the request was sent with, also when the client made it. With a 5xx, send it again with this key. */
  readonly idempotencyKey: string | undefined
  /** Names the request in the log of the instance. */
  readonly correlationId: string
  readonly help: string
  /** How long the instance asked the client to wait. */
  readonly retryAfterMs: number | undefined

  constructor({ operation, status, problem, idempotencyKey, retryAfterMs }: Facts<Name>) {
    super(`${problem.code}: ${problem.detail}`)
    this.operation = operation
    this.status = status
    this.code = problem.code as ErrorCode<Name>
    this.faults = problem.errors ?? []
    this.idempotencyKey = idempotencyKey
    this.correlationId = problem.correlationId
    this.help = problem.type
    this.retryAfterMs = retryAfterMs
  }
}

/** Whether the instance rejected this call. Then the type of `error.code` lists the call's codes. */
export function isDoorcodeError<Name extends OperationName>(
  error: unknown,
  operation: Name,
): error is DoorcodeError<Name> {
  return error instanceof DoorcodeError && error.operation === operation
}

type ConnectionFacts = {
  reason: string
  /** Of a response that is not Doorcode's, such as a proxy's. */
  status?: number | undefined
  isTimeout?: boolean
  retryAfterMs?: number | undefined
  cause?: unknown
}

/**
 * No response of the instance arrived. The instance may have accepted the request: send it again with the same idempotency key,
 * which makes the repeat harmless.
 */
export class DoorcodeConnectionError extends Error {
  override readonly name = 'DoorcodeConnectionError'
  readonly operation: OperationName
  /** The key that the request was sent with, also when the client made it. */
  readonly idempotencyKey: string | undefined
  readonly status: number | undefined
  readonly isTimeout: boolean
  readonly retryAfterMs: number | undefined

  constructor(operation: OperationName, idempotencyKey: string | undefined, facts: ConnectionFacts) {
    super(facts.reason, { cause: facts.cause })
    this.operation = operation
    this.idempotencyKey = idempotencyKey
    this.status = facts.status
    this.isTimeout = facts.isTimeout ?? false
    this.retryAfterMs = facts.retryAfterMs
  }
}
