import type { RefusalCode } from '../errors.ts'
import { REQUESTS_PER_WINDOW } from './rate-limit.ts'

/**
 * The details that are the same for each request, whatever its route: those of the answers and those of the examples in
 * the API's description. The API speaks English, and no page meets these.
 */
export const details = {
  API_KEY_INVALID: 'The request carries no API key that is valid.',
  RATE_LIMITED: `This key made ${REQUESTS_PER_WINDOW} requests within the last second.`,
  DEVELOPER_INVALID_INPUT: 'The request has a fault.',
  INTERNAL_ERROR: 'The service met a fault of its own.',
  SERVICE_UNAVAILABLE: 'The service cannot answer right now. Try again later.',
} as const satisfies Partial<Record<RefusalCode, string>>

export const detailOfMany = (faults: number): string =>
  faults === 1 ? details.DEVELOPER_INVALID_INPUT : `The request has ${faults} faults.`

const same: Partial<Record<RefusalCode, string>> = details

/** Undefined where it says more of the request than its code. */
export const sameDetail = (code: RefusalCode): string | undefined => same[code]
