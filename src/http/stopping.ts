import { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { SECOND_MS } from '../clock.ts'

/** A body that is still arriving when the server stops has so long to become whole. */
const BODY_MOST_MS = 5 * SECOND_MS
const LOOK_EVERY_MS = 50

/**
 * Lets a server that stops wait for answers only. By itself it also waits for connections on which no request has come,
 * which browsers open in advance and keep, and looks after no slow request any more.
 */
export function stopWithoutWaiting(app: FastifyInstance): void {
  const sockets = new Set<Duplex>()
  let looking: NodeJS.Timeout | undefined
  app.server.on('connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', (done) => {
    const since = performance.now()
    const look = (): void => {
      const late = performance.now() - since > BODY_MOST_MS
      for (const socket of sockets) {
        const answering = answerInProgress(socket)
        if (!answering || (late && !answering.req.complete)) socket.destroy()
      }
    }
    look()
    looking = setInterval(look, LOOK_EVERY_MS)
    done()
  })
  app.addHook('onClose', async () => clearInterval(looking))
}

/** What is being answered on a connection, from its headers on: Node keeps it in this member. */
export function answerInProgress(socket: Duplex): ServerResponse | undefined {
  const message: unknown = Reflect.get(socket, '_httpMessage')
  return message instanceof ServerResponse ? message : undefined
}
