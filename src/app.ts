import type { Pages } from './admin/pages/pages.ts'
import { buildMetricsServer } from './lib/http/metrics-server.ts'
import type { RequestExample } from './api/docs/try.ts'
import type { WorkState } from './lib/http/probes.ts'
import { serveAuthHooks } from './api/auth-hooks.ts'
import { serveProviderWebhooks } from './api/provider-webhooks.ts'
import { apiRoutes } from './api/routes.ts'
import { buildServer } from './api/server.ts'
import { serveTestReceiver } from './api/test-receiver.ts'
import { findDueLoops } from './runtime/background/due-loops.ts'
import { NEEDED_TO_ACCEPT } from './runtime/background/table.ts'
import { subscribers } from './runtime/background/subscribers.ts'
import { createLook } from './runtime/background/look.ts'
import { type RunningLoop, startLoop } from './runtime/jobs/loop.ts'
import type { WakeUps } from './runtime/jobs/wake.ts'
import type { Parts } from './runtime/parts.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

type AppOptions = Pick<WakeUps, 'attach'> & {
  /** Shared by the apps of one test process. */
  pages?: Pages
  /** What the examples of the API reference use. */
  example?: () => RequestExample | undefined
}

/** The whole program without a port. */
export async function buildApp(parts: Parts, { attach, pages, example }: AppOptions) {
  let draining = false
  let loops: RunningLoop[] = []
  const answersApi = parts.config.roles.has('api')
  const dashboard = await openDashboardIfServed(parts, pages)
  // A process with only the role worker still serves the probes.
  const server = buildServer(parts, answersApi ? apiRoutes(parts) : [], {
    isDraining: () => draining,
    workState: () => workState(loops),
    servesDashboard: dashboard !== undefined,
    errorCodesOf: (code) => parts.provider.errorCodesOf(code),
    ...(example && { example }),
    rawRoutes(scope) {
      if (answersApi) {
        serveProviderWebhooks(scope, { ...parts, subscribers })
        serveAuthHooks(scope, parts)
        serveTestReceiver(scope, parts)
      }
      dashboard?.serve(scope)
    },
  })
  const metricsServer = buildMetricsServer(parts.metrics)
  return {
    server,
    metricsServer,
    /** Builds the dashboard's pages before the first person waits for them. Never rejects: the first request tries again. */
    async preparePages(): Promise<void> {
      await dashboard?.pages().catch(() => undefined)
    },
    /** Starts the background work. Only for the role worker. */
    startWork(): void {
      const look = createLook((starts, of) => findDueLoops(parts, starts, of))
      loops = [look.loop, ...parts.loops({ ...parts, searchStarts: look.starts })].map((loop) => {
        const running = startLoop(loop, parts.log, { metrics: parts.metrics, look })
        attach(loop.name, () => running.wake())
        return running
      })
    },
    /** `/readyz` answers 503 from now on. */
    drain(): void {
      draining = true
    },
    /** Accepts no new requests and work, and waits for what is running. */
    async stop(): Promise<void> {
      draining = true
      await server.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await metricsServer.close()
    },
  }
}

function workState(loops: readonly RunningLoop[]): WorkState {
  const failing = loops.filter((loop) => loop.isFailing() || loop.isStuck())
  return {
    blocks: failing.some((loop) => loop.isFailing() || (loop.isBroken() && NEEDED_TO_ACCEPT.has(loop.name))),
    failing: failing.map(({ name }) => name),
  }
}

/** Loaded only if served: with the sign-in library it costs 0.3 s at startup and 60 MB. */
async function openDashboardIfServed(parts: Parts, given: Pages | undefined) {
  if (!parts.config.roles.has('dashboard')) return undefined
  const { openDashboard } = await import('./admin/dashboard.ts')
  const { createPages } = await import('./admin/pages/pages.ts')
  const pages = given ?? createPages(parts)
  return { pages, serve: openDashboard(parts, pages) }
}
