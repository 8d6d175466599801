import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EventReceived = { type: string; to: string }

export type BenchReceiver = {
  /** The endpoint's URL for a shop. */
  urlOf(index: number): string
  /** Webhooks of a shop are rejected until its secret is known. */
  trust(index: number, secret: string): void
  onEvent(listener: (event: EventReceived) => void): void
  /** Requests with a wrong signature. */
  rejected(): number
  stop(): Promise<void>
}

/** A client's endpoint: verifies the signature, reads the event, answers 200. */
export async function startReceiver(): Promise<BenchReceiver> {
  const secrets = new Map<string, Buffer>()
  let listener: (event: EventReceived) => void = () => {}
  let rejected = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const header = (name: string): string => String(request.headers[name])
      const secret = secrets.get(request.url ?? '') ?? Buffer.alloc(0)
      const content = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`
      const expected = `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
      if (header('webhook-signature') !== expected) {
        rejected += 1
        response.writeHead(401, { 'content-length': 0 }).end()
        return
      }
      response.writeHead(200, { 'content-length': 0 }).end()
      const { type, data } = JSON.parse(body) as { type: string; data: { to: string } }
      listener({ type, to: data.to })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pathOf = (index: number): string => `/shops/${index}`
  return {
    urlOf: (index) => `http://127.0.0.1:${port}${pathOf(index)}`,
    trust: (index, secret) => secrets.set(pathOf(index), Buffer.from(secret.slice('whsec_'.length), 'base64')),
    onEvent(callback) {
      listener = callback
    },
    rejected: () => rejected,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
