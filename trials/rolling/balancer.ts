import { once } from 'node:events'
import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { isReady } from '../../test/programs/processes.ts'

const CHECK_EVERY_MS = 500

export type Balancer = Awaited<ReturnType<typeof startBalancer>>

/** Sends each request to the next node that passed its last check of /readyz. It never repeats a request. */
export async function startBalancer() {
  const nodes = new Map<string, { ready: boolean }>()
  const failures: string[] = []
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  let closed = false

  const nextNode = (): string | undefined => {
    const ready = [...nodes].filter(([, node]) => node.ready).map(([url]) => url)
    return ready[(turn += 1) % ready.length]
  }

  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const node = nextNode()
    if (node === undefined) throw new Error('no node is ready')
    const { method, headers, url } = incoming
    const outgoing = request(`${node}${url}`, { method, headers, agent })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    answered.catch(() => {}) // awaited below
    await pipeline(incoming, outgoing)
    const [answer] = await answered
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    await pipeline(answer, response)
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch((error: unknown) => {
      failures.push(`${incoming.method} ${incoming.url}: ${String(error)}`)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const checking = (async () => {
    while (!closed) {
      await Promise.all([...nodes].map(async ([url, node]) => (node.ready = await isReady(url))))
      await wait(CHECK_EVERY_MS)
    }
  })()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (nodeUrl: string): void => void nodes.set(nodeUrl, { ready: false }),
    isInUse: (nodeUrl: string): boolean => nodes.get(nodeUrl)?.ready ?? false,
    /** Requests that no node answered, or that came while no node was ready. */
    failures,
    async close(): Promise<void> {
      closed = true
      await checking
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
