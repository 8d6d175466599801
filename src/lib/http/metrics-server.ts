import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { dropIdleConnectionsOnClose } from './graceful-shutdown.ts'

/** `/metrics` has a port that need not be public. */
export function buildMetricsServer({ registry }: Metrics): FastifyInstance {
  const app = Fastify({
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => void sendNotFound(reply),
  })
  dropIdleConnectionsOnClose(app)
  app.get('/metrics', async (_request, reply) =>
    reply
      .headers(NO_SNIFF)
      .type(registry.contentType)
      .send(await registry.metrics()),
  )
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply))
  return app
}

const NO_SNIFF = { 'x-content-type-options': 'nosniff' }

const sendNotFound = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .headers(NO_SNIFF)
    .type('text/plain; charset=utf-8')
    .send('The metrics are at /metrics; the API is on another port.\n')
