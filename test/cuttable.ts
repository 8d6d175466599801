import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import path from 'node:path'

/** The way to a database, which can be cut and mended. */
export type Cuttable = {
  url: string
  cut(): void
  /** No byte passes any more, and nobody is told: what was open, or is opened meanwhile, stays silent for good. */
  stall(): void
  /** Connections that are opened from now on work again. */
  mend(): void
  close(): Promise<void>
}

/** A proxy in front of the PostgreSQL of the url, which listens on a socket. */
export async function cuttable(databaseUrl: string): Promise<Cuttable> {
  const target = new URL(databaseUrl)
  const socketPath = path.join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const open = new Set<Socket>()
  let state: 'whole' | 'cut' | 'stalled' = 'whole'
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    if (state === 'stalled') {
      open.add(near)
      near.on('error', () => {})
      near.on('close', () => open.delete(near))
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
    state = 'cut'
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    stall() {
      state = 'stalled'
      for (const socket of open) socket.unpipe().pause()
    },
    mend: () => {
      state = 'whole'
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
