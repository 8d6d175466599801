/**
 * What a receiver answered about a signature: its JSON has `verified`, as that of the test receiver. Returns undefined if the answer
 * says nothing about it.
 */
export function verdictOf(response: string | null): boolean | undefined {
  try {
    const answer: unknown = JSON.parse(response ?? '')
    const isObject = typeof answer === 'object' && answer !== null
    return isObject && 'verified' in answer && typeof answer.verified === 'boolean' ? answer.verified : undefined
  } catch {
    return undefined
  }
}
