import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { sign } from '../webhooks/sign.ts'

export type ReceivedWebhook = { receivedAt: string; verified: boolean; id: string; type: string; body: unknown }

export type DemoReceiver = {
  /** Where webhooks go; a GET lists the latest ones. */
  url: string
  close: () => Promise<void>
}

export type ReceiverOptions = {
  port: number
  /** Undefined until the endpoint is registered. */
  secret: () => string | undefined
  onWebhook: (webhook: ReceivedWebhook) => void
}

const PATH = '/webhooks'
const KEPT_MOST = 50
const BODY_MOST_BYTES = 64 * 1024

/** What a caller's own backend would have: it takes webhooks, verifies them and remembers the latest. */
export async function startReceiver({ port, secret, onWebhook }: ReceiverOptions): Promise<DemoReceiver> {
  const received: ReceivedWebhook[] = []
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => answer(response, 400, { error: 'the request could not be read' }))
  })

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== PATH) return answer(response, 404, { error: `only ${PATH} is here` })
    if (request.method !== 'POST') return answer(response, 200, received)
    const body = await readBody(request)
    const webhook = read(request, body, secret())
    received.unshift(webhook)
    received.length = Math.min(received.length, KEPT_MOST)
    onWebhook(webhook)
    answer(response, webhook.verified ? 200 : 401, { verified: webhook.verified })
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_MOST_BYTES) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function read({ headers }: IncomingMessage, body: string, secret: string | undefined): ReceivedWebhook {
  const id = String(headers['webhook-id'])
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const given = String(headers['webhook-signature']).split(' ')
  const expected = secret === undefined ? undefined : sign({ id, at, body }, [secret])['webhook-signature']
  const parsed = JSON.parse(body) as { type?: unknown }
  return {
    receivedAt: new Date().toISOString(),
    verified: expected !== undefined && given.some((one) => isSame(one, expected)),
    id,
    type: String(parsed.type),
    body: parsed,
  }
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body, null, 2)}\n`)
}
