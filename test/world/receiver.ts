import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { waitFor } from './wait-for.ts'

/** What a receiver answers. */
export type Answer = {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Never answers; the connection stays open until the client gives up. */
  hang?: boolean
  /** Answers only when this resolves. */
  after?: Promise<void>
}

export type Received = {
  headers: IncomingHttpHeaders
  body: string
  event: WebhookEvent
  /** The `webhook-id`. */
  id: string
  path: string
}

type WebhookEvent = { type: string; timestamp: string; data: Record<string, unknown> }

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A client's webhook endpoint: a real HTTP server that keeps what it gets. */
export async function startReceiver() {
  const received: Received[] = []
  let script: Answer[] = []
  let usual: Answer = {}
  let pending = 0

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    pending += 1
    response.once('close', () => (pending -= 1))
    const body = await text(request)
    received.push({
      headers: request.headers,
      body,
      event: JSON.parse(body) as WebhookEvent,
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
    })
    const answer = script.shift() ?? usual
    await give(response, answer)
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: received as readonly Received[],
    /** The `webhook-id` of each request. */
    ids: () => received.map(({ id }) => id),
    /** The events of one type, or all of them, in the order of their arrival. */
    events: (type?: string): WebhookEvent[] =>
      received.map(({ event }) => event).filter((event) => type === undefined || event.type === type),
    /** The types of all events, in the order of their arrival. */
    types: (): string[] => received.map(({ event }) => event.type),
    /** The next responses, one per request; after the last one it responds with 204 again. */
    answers: (...answers: Answer[]): void => {
      script = [...script, ...answers]
    },
    /** Every response from now on. */
    always: (answer: Answer): void => {
      usual = answer
    },
    /** Waits until this many requests have arrived. */
    async waitFor(count: number): Promise<void> {
      await waitFor(
        () => `${count} webhooks, of which ${received.length} came`,
        () => received.length >= count,
      )
    },
    /** Requests that wait for their response. */
    pending: () => pending,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function give(response: ServerResponse, { status = 204, headers = {}, body = '', hang, after }: Answer) {
  if (hang) return
  await after
  response.writeHead(status, headers).end(body)
}

const TOLERANCE_MS = 5 * 60_000

/** Fails unless the reference library accepts the signature made with this secret. */
export function assertSigned({ headers, body }: Received, secret: string): void {
  const webhook = new Webhook(secret)
  const id = String(headers['webhook-id'])
  const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  // The library compares with the real time; where a test moved the clock only the signature can be compared.
  if (Math.abs(signedAt.getTime() - Date.now()) < TOLERANCE_MS) {
    webhook.verify(body, {
      'webhook-id': id,
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    })
  } else {
    const signatures = String(headers['webhook-signature']).split(' ')
    assert.ok(signatures.includes(webhook.sign(id, signedAt, body)), 'no signature was made with this secret')
  }
}
