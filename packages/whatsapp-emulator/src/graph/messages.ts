import type { FastifyReply } from 'fastify'
import { GraphError } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { Message } from '../messages/messages.ts'
import type { Parts } from '../parts.ts'
import { isObject } from '../reading.ts'
import { type Call, requireNumber } from './call.ts'
import { type CheckedSend, accept, acceptance, checkSend, readReceipt } from './send.ts'

const HTML =
  '<!DOCTYPE html>\n<html><head><title>Error</title></head><body><h1>Sorry, something went wrong.</h1></body></html>\n'

/** `POST /{phone_number_id}/messages` */
export function postMessage(call: Call): unknown {
  const { parts, body, reply } = call
  parts.counts.requests++
  try {
    const row = requireNumber(call)
    if (isObject(body) && body['status'] === 'read') return readReceipt(parts, row, body)
    return perform(parts, checkSend(parts, row, body), reply)
  } catch (fault) {
    countRejection(parts, fault)
    throw fault
  }
}

/** The send passed all checks; its script decides what happens. */
async function perform(parts: Parts, send: CheckedSend, reply: FastifyReply): Promise<FastifyReply> {
  const { behaviour } = send
  if (behaviour.html !== undefined) {
    parts.counts.rejected++
    await pause(parts, behaviour.responseAfterMs)
    return reply
      .code(behaviour.html.httpStatus)
      .type('text/html')
      .send(behaviour.html.body ?? HTML)
  }
  if (behaviour.connection === 'drop_before_accepting') return drop(reply)
  if (behaviour.connection === 'hang_before_accepting') return hang(reply)
  const message = accept(parts, send)
  await start(parts, send, message)
  if (behaviour.connection === 'drop_after_accepting') return drop(reply)
  if (behaviour.connection === 'hang_after_accepting') return hang(reply)
  await pause(parts, behaviour.responseAfterMs)
  return reply.send(acceptance(send.row.account, send.to, message))
}

async function start(parts: Parts, { row, to }: CheckedSend, message: Message): Promise<void> {
  const hasNoRecipient = to.waId === undefined && to.userId === undefined
  if (hasNoRecipient) return
  if (message.behaviour.statusesBeforeResponse === true) await parts.delivery.beginNow(row, message)
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

/** Holds the connection open without a response, and drops it after `hangMs` of real time. */
function hang(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.setTimeout(EMULATOR_LIMITS.hangMs, () => reply.raw.destroy()) // ends with the connection
  return reply
}

function countRejection(parts: Parts, fault: unknown): void {
  parts.counts.rejected++
  if (!(fault instanceof GraphError)) return
  parts.counts.byCode[fault.code] = (parts.counts.byCode[fault.code] ?? 0) + 1
}
