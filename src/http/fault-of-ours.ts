/** How deep a chain of causes is followed. */
const CAUSES_MOST = 3
const FRAMES_MOST = 12

export type FaultOfOurs = {
  name: string
  errorCode?: string
  constraint?: string
  frames: string[]
  cause?: FaultOfOurs
}

/**
 * What may be logged of an error that a request met: where it happened, not what it says. Messages quote values (of
 * PostgreSQL, of JSON.parse, of Node's argument checks), and a value may be a one-time code.
 */
export function faultOfOurs(error: unknown, causesLeft = CAUSES_MOST): FaultOfOurs {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  return {
    name: error.name,
    // Not "code": a member of that name is blanked (log.ts), for it may be a one-time code.
    ...textMember('errorCode', Reflect.get(error, 'code')),
    ...textMember('constraint', Reflect.get(error, 'constraint')),
    frames: (error.stack ?? '')
      .split('\n')
      .filter(isFrame)
      .slice(0, FRAMES_MOST)
      .map((line) => line.trim()),
    ...(error.cause !== undefined && causesLeft > 0 && { cause: faultOfOurs(error.cause, causesLeft - 1) }),
  }
}

const isFrame = (line: string): boolean => /^ {4}at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line)

const textMember = <Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> =>
  typeof value === 'string' ? ({ [name]: value } as Partial<Record<Name, string>>) : {}
