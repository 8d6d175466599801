import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export type ReceivedEvent = { id: string; type: string; occurredAt: string; data: Record<string, unknown> }

export type Endpoint = Awaited<ReturnType<typeof startEndpoint>>

/** The client's webhook endpoint: verifies each signature and keeps each event once, by its `webhook-id`. */
export async function startEndpoint() {
  const seen = new Set<string>()
  const events = new Map<string, ReceivedEvent[]>()
  const counts = { events: 0, repeated: 0, unverified: 0 }
  let webhook: Webhook | undefined
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const id = String(request.headers['webhook-id'])
    if (!isSigned(body, request)) {
      counts.unverified += 1
      response.writeHead(401).end()
      return
    }
    response.writeHead(204).end()
    if (seen.has(id)) {
      counts.repeated += 1
      return
    }
    seen.add(id)
    counts.events += 1
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> }
    const resourceId = String(data['confirmationId'] ?? data['messageId'])
    const event = { id, type, occurredAt: String(data['occurredAt']), data }
    events.set(resourceId, [...(events.get(resourceId) ?? []), event])
  }
  const isSigned = (body: string, request: IncomingMessage): boolean => {
    try {
      webhook?.verify(body, request.headers as Record<string, string>)
      return webhook !== undefined
    } catch {
      return false
    }
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    trust(secret: string): void {
      webhook = new Webhook(secret)
    },
    /** Events of a confirmation or message, by its id. */
    eventsOf: (resourceId: string): readonly ReceivedEvent[] => events.get(resourceId) ?? [],
    counts: () => counts,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
