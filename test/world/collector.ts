import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
}

type ExportRequest = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] }
    scopeSpans: { spans: ReceivedSpan[] }[]
  }[]
}

/** An OTLP receiver for HTTP and JSON, which collects what it receives. `hangs`: it never answers. */
export async function startCollector({ status = 200, hangs = false } = {}) {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const resources: ExportRequest['resourceSpans'][number]['resource'][] = []
  let requests = 0
  let headers: IncomingHttpHeaders = {}
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    requests += 1
    headers = request.headers
    assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
    if (hangs) return
    bodies.push(body)
    for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
      resources.push(resource)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.writeHead(status).end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    resources,
    headers: () => headers,
    requests: () => requests,
    stop(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The values of its attributes by their names. */
export const attributesOf = ({ attributes }: ReceivedSpan): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']))
