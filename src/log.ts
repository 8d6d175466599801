import { type Logger, pino } from 'pino'

export type Log = Logger

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Whatever object is logged, these members are blanked: an OTP code or a secret never reaches a log (contract §1). */
const SECRET_MEMBERS = [
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
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields },
    redact: { paths: SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]), censor: '[secret]' },
  })
}

/**
 * No other member: a database error carries its connection and quotes rows. Its code, such as an SQLSTATE, goes by
 * another name than the codes that are blanked.
 */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code: unknown = Reflect.get(error, 'code')
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { errorCode: code }),
    stack: error.stack,
  }
}
