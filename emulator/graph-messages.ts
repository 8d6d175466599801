import { GraphError } from './errors.ts'
import { accept, acceptance, checkSend, readReceipt } from './send.ts'
import { isObject } from './reading.ts'
import { requireNumber } from './graph-access.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { CheckedSend } from './send.ts'

const HTML =
  '<!DOCTYPE html>\n<html><head><title>Error</title></head><body><h1>Sorry, something went wrong.</h1></body></html>\n'

/** `POST /{phone_number_id}/messages` */
export function messageRoutes(server: FastifyInstance, parts: Parts): void {
  server.post<{ Params: { id: string } }>('/:id/messages', (request, reply) => {
    parts.counts.requests++
    try {
      const row = requireNumber(parts, request, request.params.id)
      const body = request.body
      if (isObject(body) && body['status'] === 'read') return reply.send(readReceipt(parts, row, body))
      return perform(parts, checkSend(parts, row, body), reply)
    } catch (fault) {
      countRefusal(parts, fault)
      throw fault
    }
  })
}

/** From here on the send is right; what happens to it is the script's. */
async function perform(parts: Parts, send: CheckedSend, reply: FastifyReply): Promise<FastifyReply> {
  const { behaviour } = send
  if (behaviour.html !== undefined) {
    parts.counts.refused++
    await pause(parts, behaviour.answerAfterMs)
    return reply
      .code(behaviour.html.httpStatus)
      .type('text/html')
      .send(behaviour.html.body ?? HTML)
  }
  if (behaviour.connection === 'drop_before_accepting') return drop(reply)
  if (behaviour.connection === 'hang_before_accepting') return hang(parts, reply)
  const message = accept(parts, send)
  await start(parts, send, message)
  if (behaviour.connection === 'drop_after_accepting') return drop(reply)
  if (behaviour.connection === 'hang_after_accepting') return hang(parts, reply)
  await pause(parts, behaviour.answerAfterMs)
  return reply.send(acceptance(send.row.account, send.to, message))
}

async function start(parts: Parts, { row, to }: CheckedSend, message: Message): Promise<void> {
  const goesNowhere = to.waId === undefined && to.userId === undefined
  if (goesNowhere) return
  if (message.behaviour.statusesBeforeAnswer === true) await parts.delivery.beginNow(row, message)
  else parts.delivery.begin(message)
}

function pause(parts: Parts, ms: number | undefined): Promise<void> | undefined {
  if (ms === undefined) return undefined
  return new Promise((resolve) => parts.timers.after(ms, resolve, 'answer'))
}

function drop(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}

/** Holds the connection open without a word; at last it drops it, so that nothing is held for ever. */
function hang(parts: Parts, reply: FastifyReply): FastifyReply {
  reply.hijack()
  const stop = parts.timers.afterUnscaled(TWIN_LIMITS.hangMs, () => reply.raw.destroy(), 'background')
  reply.raw.once('close', stop)
  return reply
}

function countRefusal(parts: Parts, fault: unknown): void {
  parts.counts.refused++
  if (!(fault instanceof GraphError)) return
  parts.counts.byCode[fault.code] = (parts.counts.byCode[fault.code] ?? 0) + 1
}
