import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import path from 'node:path'

/** The way to a database, which can be cut and mended. */
export type Cuttable = { url: string; cut(): void; mend(): void; close(): Promise<void> }

/** A proxy in front of the PostgreSQL of the url, which listens on a socket. */
export async function cuttable(databaseUrl: string): Promise<Cuttable> {
  const target = new URL(databaseUrl)
  const socketPath = path.join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const open = new Set<Socket>()
  let whole = true
  const server = createServer((near) => {
    if (!whole) {
      near.destroy()
      return
    }
    const far = connect(socketPath)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {}) // what follows is "close"
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(databaseUrl)
  url.search = 'sslmode=disable'
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const cut = (): void => {
    whole = false
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    mend: () => {
      whole = true
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
