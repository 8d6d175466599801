import { isTemporary } from '../db/pool.ts'

const MAX_CAUSES = 3
const MAX_FRAMES = 12

export type RedactedError = {
  name: string
  errorCode?: string
  constraint?: string
  frames: string[]
  cause?: RedactedError
}

/**
 * An error without its message: messages of PostgreSQL, JSON.parse and Node's argument checks quote values, and a value
 * may be a one-time code.
 */
export function redactError(error: unknown, causesLeft = MAX_CAUSES): RedactedError {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  return {
    name: error.name,
    // Not "code": log.ts redacts that name, since it may be a one-time code.
    ...(typeof code === 'string' && { errorCode: code }),
    ...(typeof constraint === 'string' && { constraint }),
    frames: (error.stack ?? '')
      .split('\n')
      .filter(isFrame)
      .slice(0, MAX_FRAMES)
      .map((line) => line.trim()),
    ...(error.cause !== undefined && causesLeft > 0 && { cause: redactError(error.cause, causesLeft - 1) }),
  }
}

/** For the log, which limits the lines about a database outage. */
export const failureFields = (error: unknown) => ({
  fault: redactError(error),
  ...(isTemporary(error) && { outage: true }),
})

const isFrame = (line: string): boolean => /^ {4}at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line)
