import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db.ts'
import type { Log } from '../log.ts'
import { throttled } from '../throttled.ts'
import { type BodyRoom, NoRoom } from './body-room.ts'
import { faultOfOurs } from './fault-of-ours.ts'

/** The largest webhook that Meta documents. */
export const RAW_BODY_BYTES_MOST = 3 * 1024 * 1024

/** A body is answered in a fraction of it, and then there is room again. */
const RETRY_AFTER_SECONDS = 1
/** Whoever floods must not fill the log as well. */
const NO_ROOM_TOLD_EVERY_MS = 10_000

/**
 * Routes outside the API for callers whose signature covers the exact bytes: `request.body` is a Buffer, whatever the
 * content type says, and answers are plain text. An error thrown there becomes a bare 500 or 503, so that the caller
 * sends it again.
 */
export function serveRaw(
  app: FastifyInstance,
  { log, room }: { log: Log; room: BodyRoom },
  addRoutes: (scope: FastifyInstance) => void,
): void {
  app.register((scope, _options, done) => {
    const noRoom = throttled(
      () => log.warn('bodies were refused: there is no room for more of them at a time'),
      () => NO_ROOM_TOLD_EVERY_MS,
    )
    scope.addHook('onClose', async () => noRoom.end())
    scope.decorateRequest('answer', null)
    scope.addHook('onRequest', (request, reply, done) => {
      request.setDecorator('answer', reply.raw)
      done()
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request: FastifyRequest) =>
      readBody({
        request: request.raw,
        answer: request.getDecorator<ServerResponse>('answer'),
        most: request.routeOptions.bodyLimit,
        room,
      }),
    )
    scope.setErrorHandler((error, request, reply) => {
      const status = statusOf(error)
      if (error instanceof NoRoom) {
        noRoom.call()
        // What is left of the body is read and dropped: a connection that ends under it may take the answer along.
        reply.removeHeader('connection').header('retry-after', RETRY_AFTER_SECONDS)
      } else if (status >= 500)
        log.error({ correlationId: request.id, fault: faultOfOurs(error) }, 'a raw route failed')
      return reply.code(status).type('text/plain; charset=utf-8').send(TEXTS[status])
    })
    addRoutes(scope)
    done()
  })
}

const TEXTS: Record<number, string> = {
  413: `at most ${RAW_BODY_BYTES_MOST} bytes`,
  415: 'the content type is malformed',
  400: 'the request cannot be read',
  500: 'internal error',
  503: 'unavailable',
}

function statusOf(error: unknown): number {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined
  if (status === 413 || status === 415) return status
  if (typeof status === 'number' && status >= 400 && status < 500) return 400
  return error instanceof NoRoom || isDatabaseUnavailable(error) ? 503 : 500
}

/** Bodies are gathered in blocks: each piece of its own costs 200 bytes, and somebody may send them byte by byte. */
const BLOCK_BYTES = { first: 4 * 1024, most: 64 * 1024 } as const

type Arriving = { request: IncomingMessage; answer: ServerResponse; most: number; room: BodyRoom }

/** The whole body. It has its room until it is answered. */
function readBody({ request, answer, most, room }: Arriving): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? most)
  if (announced > most) return Promise.reject(unreadable(413))
  if (answer.closed || request.destroyed) return Promise.reject(unreadable(400))
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const place = room.enter(() => fail(new NoRoom()))
  let blocks: Buffer[] = []
  let size = 0
  let free = 0

  const take = (piece: Buffer): void => {
    if (size + piece.length > announced) return fail(unreadable(413))
    if (piece.length === announced && place.take(announced)) {
      blocks.push(piece) // most webhooks come in one piece
      size = announced
      return
    }
    for (let taken = 0; taken < piece.length; ) {
      if (free === 0 && !addBlock(piece.length - taken)) return fail(new NoRoom())
      const block = blocks.at(-1) as Buffer
      const copied = piece.copy(block, block.length - free, taken)
      taken += copied
      free -= copied
      size += copied
    }
  }
  /** At most twice what is there: an announced body that never comes holds nothing. */
  const addBlock = (wanted: number): boolean => {
    const bytes = Math.min(Math.max(wanted, size, BLOCK_BYTES.first), BLOCK_BYTES.most, announced - size)
    if (!place.take(bytes)) return false
    blocks.push(Buffer.allocUnsafeSlow(bytes))
    free = bytes
    return true
  }
  const end = (): void => {
    stop()
    place.arrived()
    resolve(blocks.length === 1 && blocks[0]?.length === size ? blocks[0] : Buffer.concat(blocks, size))
    blocks = [] // what still waits for the answer must not keep them beside the whole
  }
  const fail = (error: Error): void => {
    stop()
    place.leave()
    blocks = []
    request.resume()
    reject(error)
  }
  const cutOff = (): void => fail(unreadable(400))
  const stop = (): void => void request.off('data', take).off('end', end).off('error', cutOff).off('close', cutOff)

  answer.once('close', () => place.leave())
  request.on('data', take).on('end', end).on('error', cutOff).on('close', cutOff)
  return promise
}

const unreadable = (statusCode: 400 | 413): Error => Object.assign(new Error('a body was not read'), { statusCode })
