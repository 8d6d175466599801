import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import manifest from '../../package.json' with { type: 'json' }
import type { LogLevel } from './config.ts'
import { safeFieldsOf } from './db/faults.ts'
import { faultOf, isDatabaseUnavailable } from './db/pool.ts'

export type Log = Logger

/** Redacted in every logged object: codes and secrets never reach a log (docs/otp.md#the-code). */
export const SECRET_MEMBERS = [
  'code',
  'authorization',
  'accessToken',
  'appSecret',
  'verifyToken',
  'secret',
  'apiKey',
  'password',
]

export function createLog(level: LogLevel): Log {
  const outage = createLineLimit(MAX_OUTAGE_LINES, OUTAGE_WINDOW_MS, (leftOut) =>
    log.error({ leftOut }, 'some errors of the database outage were not logged: the limit was reached'),
  )
  const options: LoggerOptions = {
    level,
    base: { release: manifest.version }, // a node adds its id
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields },
    hooks: {
      logMethod(args, method) {
        if (!isAboutOutage(args[0]) || outage.allowsLine()) method.apply(this, args)
      },
    },
    redact: { paths: SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]), censor: '[secret]' },
  }
  const log = pino(options, standardOutput())
  return log
}

/** Lines that wait for a full disk or a reader that has stopped. More are lost. */
const MAX_WAITING_CHARACTERS = 1_000_000

/** A log that cannot be written does not end the process. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, maxLength: MAX_WAITING_CHARACTERS })
  output.on('error', () => {
    output.flushSync = () => {} // at the end of the process it would try again forever
  })
  return output
}

/**
 * Only these members: a database error also contains its connection and quotes rows. Its code, such as an SQLSTATE, is
 * named `errorCode` because `code` is redacted.
 */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code: unknown = Reflect.get(error, 'code')
  const fault = faultOf(error)
  return {
    type: error.name,
    ...(!fault?.quotesValues && { message: error.message }),
    ...(code !== undefined && { errorCode: code }),
    ...(fault && safeFieldsOf(error)),
    stack: fault?.quotesValues ? framesOf(error).join('\n') : error.stack,
  }
}

const FRAME = /^ {4}at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/

/** The stack without the message. */
export const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .filter((line) => FRAME.test(line))
    .map((line) => line.trim())

/** During a database outage every request and loop logs a line. This many are written per window. */
export const MAX_OUTAGE_LINES = 20
export const OUTAGE_WINDOW_MS = 10_000

/** Allows `max` lines per window and counts the others; `report` gets their number when the window ends. */
export function createLineLimit(max: number, windowMs: number, report: (dropped: number) => void) {
  let lines = 0
  let window: NodeJS.Timeout | undefined
  const end = (): void => {
    clearTimeout(window)
    window = undefined
    if (lines > max) report(lines - max)
    lines = 0
  }
  return {
    allowsLine(): boolean {
      window ??= setTimeout(end, windowMs).unref()
      lines += 1
      return lines <= max
    },
    end,
  }
}

/** Reads `err`, or `outage` where the error itself may not be logged. */
function isAboutOutage(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false
  return ('err' in fields && isDatabaseUnavailable(fields.err)) || ('outage' in fields && fields.outage === true)
}
