/** How deep a chain of causes is followed. */
const CAUSES_MOST = 3
const FRAMES_MOST = 12

export type FaultOfOurs = { name: string; code?: string; constraint?: string; frames: string[]; cause?: FaultOfOurs }

/**
 * What may be logged of an error that a request met: where it happened, not what it says. Messages quote values (of
 * PostgreSQL, of JSON.parse, of Node's argument checks), and a value may be a one-time code.
 */
export function faultOfOurs(error: unknown, causesLeft = CAUSES_MOST): FaultOfOurs {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  return {
    name: error.name,
    ...textMember(error, 'code'),
    ...textMember(error, 'constraint'),
    frames: (error.stack ?? '')
      .split('\n')
      .filter(isFrame)
      .slice(0, FRAMES_MOST)
      .map((line) => line.trim()),
    ...(error.cause !== undefined && causesLeft > 0 && { cause: faultOfOurs(error.cause, causesLeft - 1) }),
  }
}

const isFrame = (line: string): boolean => /^ {4}at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line)

function textMember(error: Error, name: 'code' | 'constraint'): Partial<Record<typeof name, string>> {
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? { [name]: value } : {}
}
