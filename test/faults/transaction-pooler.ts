import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { int32, message, messagesIn } from '../world/postgres-messages.ts'

/** No password, a key for cancelling, ready. */
const WELCOME = Buffer.concat([
  message('R', int32(0)),
  message('K', Buffer.concat([int32(4711), int32(1)])),
  message('Z', Buffer.from('I')),
])

/**
 * Like PgBouncer with `pool_mode = transaction` and one server connection: each transaction may belong to another
 * client, and a client's startup settings are not passed on.
 */
export async function startTransactionPooler(databaseUrl: string): Promise<Disposable & { url: string }> {
  const { searchParams, port, pathname, username } = new URL(databaseUrl)
  const upstream = connect(`${searchParams.get('host')}/.s.PGSQL.${port || 5432}`)
  const names = `user\0${username}\0database\0${pathname.slice(1)}\0\0`
  upstream.write(Buffer.concat([int32(8 + names.length), int32(196_608), Buffer.from(names)]))
  const waiting: { client: Socket; bytes: Buffer }[] = []
  let served: Socket | undefined
  let isReady = false
  const serveNext = (): void => {
    const next = isReady && !served ? waiting.shift() : undefined
    if (!next) return
    served = next.client
    upstream.write(next.bytes)
    while (waiting[0]?.client === served) upstream.write(waiting.shift()?.bytes ?? '')
  }
  const fromUpstream = { bytes: Buffer.alloc(0) }
  upstream.on('data', (chunk: Buffer) => {
    fromUpstream.bytes = Buffer.concat([fromUpstream.bytes, chunk])
    for (const next of messagesIn(fromUpstream)) {
      if (isReady) served?.write(next)
      if (next.toString('latin1', 0, 1) !== 'Z' || next.toString('latin1', 5) !== 'I') continue
      isReady = true
      served = undefined
      serveNext()
    }
  })
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    const buffered = { bytes: Buffer.alloc(0) }
    let isFirst = true
    client.on('error', () => {})
    client.on('data', (chunk: Buffer) => {
      buffered.bytes = Buffer.concat([buffered.bytes, chunk])
      for (const next of messagesIn(buffered, isFirst)) {
        if (isFirst) client.write(WELCOME)
        else if (next.toString('latin1', 0, 1) === 'X') client.end()
        else {
          if (served === client) upstream.write(next)
          else waiting.push({ client, bytes: next })
          serveNext()
        }
        isFirst = false
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    [Symbol.dispose]() {
      server.close()
      for (const client of clients) client.destroy()
      upstream.destroy()
    },
  }
}
