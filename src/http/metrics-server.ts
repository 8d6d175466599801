import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { stopWithoutWaiting } from './stopping.ts'

/** `/metrics` on its own port, for those who watch, not for callers. */
export function buildMetricsServer({ registry }: Metrics): FastifyInstance {
  const app = Fastify({ exposeHeadRoutes: false, frameworkErrors: (_error, _request, reply) => void elsewhere(reply) })
  stopWithoutWaiting(app)
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
  app.setNotFoundHandler((_request, reply) => elsewhere(reply))
  return app
}

const elsewhere = (reply: FastifyReply): FastifyReply =>
  reply.code(404).type('text/plain; charset=utf-8').send('The metrics are at /metrics; the API is on another port.\n')
