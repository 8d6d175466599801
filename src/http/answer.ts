import type { FastifyReply } from 'fastify'

/** What goes to the caller, whole: Fastify would add a charset, which neither kind of JSON has. */
export type Answer = { status: number; headers: Record<string, string>; body: string }

export const commonHeaders = (correlationId: string): Record<string, string> => ({
  'x-correlation-id': correlationId,
  'cache-control': 'no-store',
})

export function sendAnswer(reply: FastifyReply, correlationId: string, { status, headers, body }: Answer): void {
  reply
    .hijack()
    .raw.writeHead(status, { ...commonHeaders(correlationId), ...headers, 'content-length': Buffer.byteLength(body) })
    .end(body)
}
