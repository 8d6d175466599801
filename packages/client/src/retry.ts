import { DoorcodeConnectionError, DoorcodeError } from './errors.ts'

/** After the first attempt. */
export const DEFAULT_RETRIES = 2
export const MAX_RETRIES = 10
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 8_000
/** If the instance asks for a longer wait, the caller decides. */
export const MAX_RETRY_AFTER_MS = 30_000
/** So that many clients do not return at the same moment. */
const JITTER = 0.25

type Attempt = {
  retries: number
  /** Whether the request may be sent again although the instance may have accepted it. */
  isRepeatable: boolean
}

/** Returns undefined if the request must not be sent again. `random`: 0 to 1. */
export function waitBeforeRetry(
  error: unknown,
  { retries, isRepeatable }: Attempt,
  random: number,
): number | undefined {
  if (!(error instanceof DoorcodeError || error instanceof DoorcodeConnectionError)) return undefined
  if (!isTemporary(error) || !(isRepeatable || wasNotAccepted(error))) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined
  return error.retryAfterMs === undefined ? backoffMs(retries, random) : retryAfterMs * (1 + JITTER * random)
}

export const backoffMs = (retries: number, random: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** retries, MAX_WAIT_MS) * (1 - JITTER * random)

/** A quota that is used up is a 429 too, but only a rate limit says when to return. */
export function isTemporary({ status, retryAfterMs }: DoorcodeError | DoorcodeConnectionError): boolean {
  if (status === undefined) return true // no response
  return status >= 500 || (status === 429 && retryAfterMs !== undefined)
}

const wasNotAccepted = ({ status }: DoorcodeError | DoorcodeConnectionError): boolean => status === 429

/** `Retry-After`: seconds, or an HTTP date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
