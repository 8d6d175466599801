import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Fastify from 'fastify'
import { isKnownHost } from '../../admin/pages/request-checks.ts'
import { sign } from '../../webhooks/delivery/sign.ts'

export type ReceivedWebhook = { receivedAt: string; verified: boolean; id: string; type: string; body: unknown }

type ReceiverOptions = {
  port: number
  /** Returns undefined until the endpoint is registered. */
  secret: () => string | undefined
  onWebhook: (webhook: ReceivedWebhook) => void
}

const PATH = '/webhooks'
const MAX_LISTED = 50
const MAX_BODY_BYTES = 64 * 1024
const HOST = '127.0.0.1'

/** Stands in for the backend of a shop: verifies the webhooks that it gets by POST, and lists the latest by GET. */
export async function startDemoReceiver({ port, secret, onWebhook }: ReceiverOptions) {
  const received: ReceivedWebhook[] = []
  const server = Fastify({ bodyLimit: MAX_BODY_BYTES, forceCloseConnections: true })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  server.setReplySerializer((answer) => `${JSON.stringify(answer, null, 2)}\n`)
  // Another site could make its own name resolve to this machine, and read the webhooks (DNS rebinding).
  server.addHook('onRequest', (request, reply, done) => {
    if (isKnownHost(request, { publicUrl: `http://${HOST}`, host: HOST })) done()
    else reply.code(403).send({ error: 'This receiver answers only under an address of this machine.' })
  })
  server.get(PATH, () => received)
  server.post<{ Body: string }>(PATH, (request, reply) => {
    const webhook = readWebhook(request.headers, request.body, secret())
    received.unshift(webhook)
    received.length = Math.min(received.length, MAX_LISTED)
    onWebhook(webhook)
    return reply.code(webhook.verified ? 200 : 401).send({ verified: webhook.verified })
  })
  const origin = await server.listen({ port, host: HOST })
  return { url: `${origin}${PATH}`, close: () => server.close() }
}

function readWebhook(headers: IncomingHttpHeaders, body: string, secret: string | undefined): ReceivedWebhook {
  const id = String(headers['webhook-id'])
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signatures = String(headers['webhook-signature']).split(' ')
  const expected = secret === undefined ? undefined : sign({ id, at, body }, [secret])['webhook-signature']
  const parsed = JSON.parse(body) as { type?: unknown }
  return {
    receivedAt: new Date().toISOString(),
    verified: expected !== undefined && signatures.some((signature) => isEqual(signature, expected)),
    id,
    type: String(parsed.type),
    body: parsed,
  }
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
