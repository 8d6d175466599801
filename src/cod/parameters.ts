import type { GivenParameters } from '../templates/cod-parameters.ts'

/** Two requests with the same parameters have the same text: names in any order, and `{}` like nothing (contract §2). */
export function canonicalParameters({ header, body }: GivenParameters): string {
  const named =
    body && !Array.isArray(body) ? Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1)) : body
  return JSON.stringify([
    header ?? null,
    body === undefined ? null : Array.isArray(body) ? 'list' : 'names',
    named ?? null,
  ])
}
