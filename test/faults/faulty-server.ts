import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { errorResponse, message, messagesIn } from '../world/postgres-messages.ts'

/** How a statement is answered instead of being run. */
export type ServerFault =
  | { state: string; severity?: 'ERROR' | 'FATAL' | 'PANIC'; routine?: string; text?: string; detail?: string }
  /** The connection ends: closed, reset, in the middle of an answer, or by the node after bytes that are no message of PostgreSQL. */
  | { ends: 'closed' | 'reset' | 'half-written' | 'unreadable' }

export type FaultyServer = AsyncDisposable & {
  url: string
  /** Statements whose text or name contains one of the words are answered with the fault, until `heal`. */
  fail(words: readonly string[], fault: ServerFault): void
  /** Only the first one. */
  failOnce(words: readonly string[], fault: ServerFault): void
  heal(): void
  /** How many statements were answered with the fault. */
  failed(): number
}

/** The PostgreSQL of the url, whose answers to chosen statements a test decides. */
export async function startFaultyServer(databaseUrl: string): Promise<FaultyServer> {
  const { searchParams, port, pathname, username } = new URL(databaseUrl)
  const clients = new Set<Socket>()
  let failing: { words: readonly string[]; fault: ServerFault; once?: boolean } | undefined
  let failed = 0
  const server = createServer((client) => {
    clients.add(client)
    const upstream = connect(`${searchParams.get('host')}/.s.PGSQL.${port || 5432}`)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => {
        clients.delete(client)
        other.destroy()
      })
    }
    upstream.pipe(client)
    const buffered = { bytes: Buffer.alloc(0) }
    let statement: Buffer[] = []
    let isFirst = true
    client.on('data', (chunk: Buffer) => {
      buffered.bytes = Buffer.concat([buffered.bytes, chunk])
      for (const next of messagesIn(buffered, isFirst)) {
        statement.push(next)
        if (!isFirst && !ENDS_STATEMENT.has(next.toString('latin1', 0, 1))) continue
        const whole = Buffer.concat(statement)
        statement = []
        if (!isFirst && failing?.words.some((word) => whole.includes(word))) {
          failed += 1
          answer(client, failing.fault)
          if (failing.once) failing = undefined
        } else upstream.write(whole)
        isFirst = false
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}?sslmode=disable`,
    fail(words, fault) {
      failing = { words, fault }
      failed = 0
    },
    failOnce(words, fault) {
      failing = { words, fault, once: true }
      failed = 0
    },
    heal: () => void (failing = undefined),
    failed: () => failed,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const client of clients) client.destroy()
      await once(server, 'close')
    },
  }
}

/** Sync, a simple query, and the end. */
const ENDS_STATEMENT = new Set(['S', 'Q', 'X'])

/** A row of one column of 100 bytes, of which only the beginning comes. */
const HALF_A_ROW = message('D', Buffer.alloc(106)).subarray(0, 20)

function answer(client: Socket, fault: ServerFault): void {
  if ('ends' in fault) {
    if (fault.ends === 'half-written') client.write(HALF_A_ROW)
    if (fault.ends === 'unreadable') client.write(message('!', Buffer.from('bad gateway')))
    if (fault.ends === 'reset') client.resetAndDestroy()
    else if (fault.ends !== 'unreadable') client.end()
    return
  }
  const { state, severity = 'ERROR', routine, text = 'a message of the server', detail } = fault
  const fields = {
    S: severity,
    V: severity,
    C: state,
    M: text,
    ...(routine && { R: routine }),
    ...(detail && { D: detail }),
  }
  client.write(errorResponse(fields))
  if (severity === 'ERROR') client.write(message('Z', Buffer.from('I')))
  else client.end()
}
