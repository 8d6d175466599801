import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import path from 'node:path'

/** A proxy to the database that can be cut and restored. */
export type FlakyProxy = {
  url: string
  cut(): void
  /** Cuts when this text is sent to the database; the text does not arrive. */
  cutAt(words: string): void
  /** The next statement with this text runs, but its answer is silently lost. */
  loseAnswerTo(words: string): void
  /** The next statement with this text arrives with another first letter, which is a syntax error. */
  garble(words: string): void
  /** No more bytes pass, silently: connections open now or opened meanwhile stay silent forever. */
  stall(): void
  /** New connections work again. */
  restore(): void
  close(): Promise<void>
}

/** A proxy in front of the PostgreSQL of the url, which listens on a socket. */
export async function startFlakyProxy(databaseUrl: string): Promise<FlakyProxy> {
  const target = new URL(databaseUrl)
  const socketPath = path.join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const open = new Set<Socket>()
  let state: 'whole' | 'cut' | 'stalled' = 'whole'
  let cutAt: string | undefined
  let losesAnswerTo: string | undefined
  let garbled: string | undefined
  const cut = (): void => {
    state = 'cut'
    cutAt = undefined
    for (const socket of open) socket.destroy()
  }
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
    near.prependListener('data', (bytes: Buffer) => {
      if (cutAt !== undefined && bytes.includes(cutAt)) cut()
      const at = garbled === undefined ? -1 : bytes.indexOf(garbled)
      if (at >= 0) {
        bytes.write('?', at)
        garbled = undefined
      }
      if (losesAnswerTo === undefined || !bytes.includes(losesAnswerTo)) return
      losesAnswerTo = undefined
      far.unpipe().resume()
    })
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
  return {
    url: url.href,
    cut,
    cutAt(words) {
      cutAt = words
    },
    loseAnswerTo(words) {
      losesAnswerTo = words
    },
    garble(words) {
      garbled = words
    },
    stall() {
      state = 'stalled'
      for (const socket of open) socket.unpipe().pause()
    },
    restore: () => {
      state = 'whole'
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
