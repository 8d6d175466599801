import Fastify, { type FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'

/** `/metrics` on its own port, for those who watch, not for callers. */
export function buildMetricsServer({ registry }: Metrics): FastifyInstance {
  const app = Fastify({ exposeHeadRoutes: false })
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
  return app
}
