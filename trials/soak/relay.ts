import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Random } from './random.ts'

const RETRY_MS = 1_000
const ANSWER_WITHIN_MS = 8_000
/** To each node. With one for each waiting webhook, a slow machine would spend its time on thousands of connections. */
const MAX_CONNECTIONS = 256
const REPEATED = 0.1
const FORWARDED_HEADERS = ['content-type', 'x-hub-signature-256'] as const

/**
 * Stands between the provider and the nodes as a bad network would: it holds webhooks back, changes their order, repeats
 * some, and gives each to a random node until one answers 200.
 */
export async function startRelay(nodeUrls: readonly [string, ...string[]], random: Random) {
  let pending = 0
  let closed = false
  const counts = { webhooks: 0, late: 0, repeated: 0, retries: 0 }
  const agent = new Agent({ connections: MAX_CONNECTIONS })

  const forward = async (path: string, headers: Record<string, string>, body: string, delayMs: number) => {
    pending += 1
    await wait(delayMs)
    while (!closed) {
      const url = `${random.pick(nodeUrls)}${path}`
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        dispatcher: agent,
      }).catch(() => undefined)
      await answer?.body.dump().catch(() => undefined)
      if (answer?.statusCode === 200) break
      counts.retries += 1
      await wait(RETRY_MS)
    }
    pending -= 1
  }

  const delay = (): number => {
    const chance = random.next()
    if (chance < 0.7) return random.between(0, 200)
    counts.late += 1
    return chance < 0.95 ? random.between(1_000, 5_000) : random.between(5_000, 30_000)
  }

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    response.writeHead(200).end()
    counts.webhooks += 1
    const headers = forwarded(request.headers)
    void forward(request.url ?? '/', headers, body, delay())
    if (random.next() < REPEATED) {
      counts.repeated += 1
      void forward(request.url ?? '/', headers, body, delay())
    }
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Webhooks that no node has answered with 200 yet, repeats included. */
    pending: () => pending,
    counts: () => counts,
    async close(): Promise<void> {
      closed = true
      server.closeAllConnections()
      server.close()
      await Promise.all([once(server, 'close'), agent.destroy()])
    },
  }
}

const forwarded = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
