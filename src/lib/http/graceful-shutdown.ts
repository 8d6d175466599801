import { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { SECOND_MS } from '../clock.ts'

/** How long a body that is still arriving may take once the server stops. */
const MAX_BODY_MS = 5 * SECOND_MS
const CHECK_EVERY_MS = 50

/**
 * A server that stops waits only for responses. Without this, Node also waits for connections that browsers open in
 * advance and never use, and no longer times out slow requests.
 */
export function dropIdleConnectionsOnClose(app: FastifyInstance): void {
  const sockets = new Set<Duplex>()
  let timer: NodeJS.Timeout | undefined
  app.server.on('connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', (done) => {
    const stoppingSince = performance.now()
    const dropIdle = (): void => {
      const isLate = performance.now() - stoppingSince > MAX_BODY_MS
      for (const socket of sockets) {
        const response = responseInProgress(socket)
        if (!response || (isLate && !response.req.complete)) socket.destroy()
      }
    }
    dropIdle()
    timer = setInterval(dropIdle, CHECK_EVERY_MS)
    done()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

/** The response to the request whose headers arrived last; Node keeps it in this undocumented property. */
export function responseInProgress(socket: Duplex): ServerResponse | undefined {
  const message: unknown = Reflect.get(socket, '_httpMessage')
  return message instanceof ServerResponse ? message : undefined
}
