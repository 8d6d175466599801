/**
 * What an error of the database means for the work that got it:
 * - `unavailable`: no statement can succeed now. A request gets 503; a loop ends its turn and tries everything again.
 * - `conflict`: another transaction was in the way. A request gets 503; a row is tried again, and the failure does not count.
 * - `damage`: the server failed at this statement. A request gets 503; rows are tried one by one, and failures count.
 * - `bug`: our statement or its data is wrong. A request gets 500; rows are tried one by one, and failures count.
 */
export type FaultKind = 'unavailable' | 'conflict' | 'damage' | 'bug'

export type DatabaseFault = {
  /** Classes (two characters) or single SQLSTATEs. Empty: every other one. */
  states: readonly string[]
  /** Only errors that one of these functions of PostgreSQL reports. */
  routines?: readonly string[]
  kind: FaultKind
  what: string
  why: string
  /**
   * The server is gone or cannot be used: background work that meets it makes the node not ready. Other errors may concern only
   * one statement, and every node meets them.
   */
  failsReadiness?: true
  /** The session cannot be used again: its statements or their plans are not those that it prepared. */
  spoilsSession?: true
  /** The message quotes values, which may be personal data or a code: it is not logged. */
  quotesValues?: true
}

/** All errors of PostgreSQL. The first matching row applies. `npm run docs` writes it to docs/troubleshooting.md. */
export const databaseFaults: readonly DatabaseFault[] = [
  {
    states: ['26000', '42P05'],
    kind: 'unavailable',
    spoilsSession: true,
    what: 'a prepared statement is missing, or exists already',
    why: 'a pooler mixed up sessions (pgbouncer.md)',
  },
  {
    states: ['0A000'],
    routines: ['RevalidateCachedQuery'],
    kind: 'unavailable',
    spoilsSession: true,
    what: 'a prepared statement returns other columns than before',
    why: 'a table was changed; a new connection prepares the statement again',
  },
  {
    states: ['54000'],
    routines: ['GetNewTransactionId', 'GetNewMultiXactId', 'mdextend', 'mdzeroextend'],
    kind: 'unavailable',
    what: 'the server has no transaction ids left, or a file has reached its maximum size',
    why: 'the operator must act on the server',
  },
  {
    states: ['08'],
    kind: 'unavailable',
    failsReadiness: true,
    what: 'the connection failed, or a pooler has none left',
    why: 'a restart, a failover or a network fault',
  },
  {
    states: ['25006'],
    kind: 'unavailable',
    failsReadiness: true,
    what: 'the server is read-only',
    why: 'a failover',
  },
  {
    states: ['25P03', '25P04'],
    kind: 'unavailable',
    what: 'the server ended a transaction that was open for too long',
    why: 'a process that was frozen, or a slow statement',
  },
  {
    states: ['28', '3D000'],
    kind: 'unavailable',
    failsReadiness: true,
    what: 'sign-in rejected, no such database',
    why: 'a password change or a restore',
  },
  {
    states: ['42501', '53400', '57014'],
    kind: 'unavailable',
    what: 'no permission, a configured limit, cancelled statement',
    why: 'changed grants or a disk that became read-only (42501), temp_file_limit, a statement that took too long: perhaps only one statement',
  },
  {
    states: ['53', '57', '58'],
    kind: 'unavailable',
    failsReadiness: true,
    what: 'no resources (disk, memory, connections), shutdown, start, crash, failed input or output',
    why: 'the server stops, starts, recovers or has lost its disk',
  },
  {
    states: ['55P03', '55006', '40'],
    kind: 'conflict',
    what: 'lock timeout, object in use, deadlock, serialization failure',
    why: 'another transaction was in the way, and the row is not at fault',
  },
  {
    states: ['55'],
    kind: 'unavailable',
    what: 'the server is not in the necessary state',
    why: 'it recovers, or is a standby',
  },
  {
    states: ['XX', 'F0', 'HV', '72'],
    kind: 'damage',
    what: 'internal error, damaged data or index, configuration file, foreign data, old snapshot',
    why: 'the server failed, but perhaps only at one row: a damaged page must not stop all work',
  },
  {
    states: ['22', 'P0'],
    kind: 'bug',
    quotesValues: true,
    what: 'a value is out of range or malformed; an exception of a function',
    why: 'Doorcode checks values before it stores them',
  },
  {
    states: ['0A', '21', '23', '24', '25', '2B', '2D', '3B', '3F', '42', '44', '54'],
    kind: 'bug',
    what: 'constraint, cardinality, transaction state, syntax, missing table or column, limit of a row',
    why: 'the statement, its data or the schema is wrong, so a repetition fails too',
  },
  {
    states: [],
    kind: 'bug',
    what: 'anything else',
    why: 'no statement of Doorcode causes it',
  },
]

type ServerError = { state: string; routine?: unknown; severity?: unknown }

/** A session ends with such an error, whatever its SQLSTATE. */
const ENDS_SESSION = new Set<unknown>(['FATAL', 'PANIC'])

const ENDED_SESSION: DatabaseFault = {
  states: [],
  kind: 'unavailable',
  failsReadiness: true,
  what: 'the server ended the session',
  why: 'every FATAL error does',
}

/** `state`: empty if the error has no SQLSTATE. Then it is not of PostgreSQL, and the result is undefined. */
export function findFault({ state, routine, severity }: ServerError): DatabaseFault | undefined {
  if (state === '') return undefined
  const row = databaseFaults.find(
    ({ states, routines }) =>
      (states.length === 0 || states.some((each) => state.startsWith(each))) &&
      (!routines || routines.some((each) => each === routine)),
  )
  return row && ENDS_SESSION.has(severity) && row.kind !== 'unavailable' ? ENDED_SESSION : row
}

/** What PostgreSQL reports besides its message. Never `detail`, `where` or `hint`, which quote rows and parameters. */
const SAFE_FIELDS = ['severity', 'routine', 'table', 'column', 'constraint'] as const

export type SafeFields = { [field in (typeof SAFE_FIELDS)[number]]?: string }

export const safeFieldsOf = (error: Error): SafeFields =>
  Object.fromEntries(
    SAFE_FIELDS.map((field) => [field, Reflect.get(error, field)] as const).filter(
      ([, value]) => typeof value === 'string',
    ),
  )
