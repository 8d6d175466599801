import { SECOND_MS } from '../clock.ts'
import { type ApiErrorCode, apiErrors } from '../errors.ts'
import { type Log, createLineLimit } from '../log.ts'

/** The log repeats nothing that the sender wrote except the correlation id, which is a UUID. */
export type RejectedRequest = RejectionContext & { correlationId: string; error: ApiErrorCode }

export type RejectionContext = {
  /** The route as the table of routes has it; absent when no route matched. */
  route?: { method: string; path: string } | undefined
  /** Absent without a valid key. */
  key?: { publicId: string; workspaceId: string } | undefined
  /** The id of the request's trace, if tracing is on. */
  trace?: string
}

/**
 * How many lines a flood can add. Requests without a valid key or over its rate are counted separately, so that a
 * flood of them does not hide the mistakes of a client.
 */
export const REJECTIONS_LOGGED_PER_SECOND = { keyed: 100, others: 20 } as const

/** One line at `info` per rejection. Lines over the limit are counted, and the count is logged when the second is over. */
export function createRejectionLog(log: Log) {
  const createLimit = (kind: keyof typeof REJECTIONS_LOGGED_PER_SECOND) =>
    createLineLimit(REJECTIONS_LOGGED_PER_SECOND[kind], SECOND_MS, (leftOut) =>
      log.info({ leftOut }, 'some rejected requests were not logged: the limit per second was reached'),
    )
  const keyed = createLimit('keyed')
  const others = createLimit('others')
  return {
    write({ correlationId, error, route, key, trace }: RejectedRequest): void {
      const limit = key && error !== 'RATE_LIMITED' ? keyed : others
      if (!limit.allowsLine()) return
      const by = key && { apiKeyId: key.publicId, workspaceId: key.workspaceId }
      // Not "code": log.ts redacts that name, since it may be a one-time code.
      const { status } = apiErrors[error]
      log.info({ correlationId, trace, error, status, ...route, ...by }, 'a request was rejected')
    },
    /** Logs how many lines were dropped last. */
    close(): void {
      keyed.end()
      others.end()
    },
  }
}
