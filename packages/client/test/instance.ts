import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type ClientOptions, createClient } from '../src/index.ts'

/** Answers like an instance, a proxy, or not at all. */
export type Answer = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** Closes the connection. */
  breaks?: boolean
  /** Never answers. */
  hangs?: boolean
}

type Request = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

export const API_KEY = `dck_${'a'.repeat(12)}_${'b'.repeat(43)}`

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: { type: `https://doorcode.example/problems/${code}`, code, status, detail: 'Why.', correlationId: 'c-1' },
})

/** A server that gives these answers, one per request, and the last one again and again; and a client of it. */
export async function startInstance(t: TestContext, answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, headers, body: await text(request) })
    const given = answers[Math.min(requests.length, answers.length) - 1] ?? {}
    if (given.hangs) return
    if (given.breaks) {
      request.socket.destroy()
      return
    }
    const body = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {})
    response.writeHead(given.status ?? 200, given.headers).end(body)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, client: createClient({ url, apiKey: API_KEY, ...options }) }
}
