import { contentId } from '../lib/ids.ts'
import type { RequestParameters } from '../accounts/templates/cod-parameters.ts'

/**
 * What is stored instead of removed parameters (docs/retention.md). `digest`: of a request with an idempotency key, whose
 * repeats must still be compared with it.
 */
export type RemovedParameters = { removed: true; digest?: string }

export type StoredParameters = RequestParameters | RemovedParameters

/** `parameters`: undefined for a request without an idempotency key. */
export const removedParameters = (
  confirmationId: string,
  parameters: StoredParameters | undefined,
): RemovedParameters => {
  if (parameters === undefined) return { removed: true }
  return 'removed' in parameters ? parameters : { removed: true, digest: digestOf(confirmationId, parameters) }
}

/** An erased recipient leaves no digest. Then the other fields decide, and the number can never be the same. */
export function hasSameParameters(
  confirmationId: string,
  stored: StoredParameters,
  requested: RequestParameters,
): boolean {
  if ('removed' in stored) return stored.digest === undefined || stored.digest === digestOf(confirmationId, requested)
  return canonicalParameters(stored) === canonicalParameters(requested)
}

/** Includes the id, so that equal parameters have different digests. */
const digestOf = (confirmationId: string, parameters: RequestParameters): string =>
  contentId(confirmationId, canonicalParameters(parameters))

/** The same text for the same parameters: names in any order, `{}` like a missing member (docs/api.md#idempotency). */
function canonicalParameters({ header, body }: RequestParameters): string {
  if (body === undefined || Array.isArray(body)) return JSON.stringify([header ?? null, body ?? null])
  const sorted = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([header ?? null, { named: sorted }])
}
