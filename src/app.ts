import type { FastifyInstance } from 'fastify'
import type { Dashboard } from './dashboard/serve.ts'
import type { Pages } from './dashboard/static-files.ts'
import { buildMetricsServer } from './http/metrics-server.ts'
import { providerWebhooks } from './http/provider-webhooks.ts'
import { apiRoutes } from './http/routes.ts'
import { buildServer } from './http/server.ts'
import { work } from './jobs/handlers.ts'
import { type RunningLoop, startLoop } from './jobs/loop.ts'
import type { Wakes } from './jobs/wake.ts'
import type { Parts } from './parts.ts'

/** The whole program without a port. */
export type App = {
  server: FastifyInstance
  metricsServer: FastifyInstance
  /** Begins the background work. A process without the worker role does not call it. */
  startWork(): void
  /** Takes no new requests and no new work, and waits for what is under way. */
  stop(): Promise<void>
}

type AppOptions = Pick<Wakes, 'attach'> & {
  /** The dashboard's pages, where several apps of one process share them, as in tests. */
  pages?: Pages
}

export async function buildApp(parts: Parts, { attach, pages }: AppOptions): Promise<App> {
  let draining = false
  let loops: RunningLoop[] = []
  const answersApi = parts.config.roles.has('api')
  const dashboard = await dashboardOf(parts, pages)
  // Without a role there are only the probes: whoever takes work must be watched as well.
  const server = buildServer(parts, answersApi ? apiRoutes(parts) : [], {
    isDraining: () => draining,
    servesDashboard: dashboard !== undefined,
    rawRoutes(scope) {
      if (answersApi) providerWebhooks(scope, parts)
      dashboard?.serve(scope)
    },
  })
  const metricsServer = buildMetricsServer(parts.metrics)
  return {
    server,
    metricsServer,
    startWork() {
      loops = work(parts).map(({ loop, woken }) => {
        const running = startLoop(loop, parts.log)
        if (woken) attach(woken, () => running.wake())
        return running
      })
    },
    async stop() {
      draining = true
      dashboard?.endLiveAnswers()
      await server.close()
      await dashboard?.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await metricsServer.close()
    },
  }
}

/** Loaded where it is served: with the sign-in library it costs a node 0.3 s of its start and 60 MB. */
async function dashboardOf(parts: Parts, pages: Pages | undefined): Promise<Dashboard | undefined> {
  if (!parts.config.roles.has('dashboard')) return undefined
  const { openDashboard } = await import('./dashboard/serve.ts')
  return openDashboard(parts, pages)
}
