import type { RequestExample } from '../api/docs/try.ts'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import v8 from 'node:v8'
import type { FastifyInstance } from 'fastify'
import { type App, buildApp } from '../app.ts'
import { type Clock, SECOND_MS } from '../lib/clock.ts'
import type { Config } from '../lib/config.ts'
import { createFiguresReader, openFiguresDb } from '../operations/monitoring/figures.ts'
import { MAX_CLOSE_MS, type RetryBudget, addressOf, withRetries } from '../runtime/start/database.ts'
import { createSetupLink } from '../admin/auth/links.ts'
import type { Db } from '../lib/db/pool.ts'
import { createLog, type Log } from '../lib/log.ts'
import { openParts, SERVER_RETRY_BUDGET_MS } from '../runtime/start/open.ts'
import { assertOldKeysKnown } from '../operations/secrets/open.ts'
import { type PortSetting, assertPortsFree, throwListenError } from '../runtime/start/ports.ts'
import type { Parts } from '../runtime/parts.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { shutdownSignal } from '../lib/shutdown-signal.ts'
import type { StartupError } from '../lib/errors.ts'

export type Serving = {
  parts: Parts
  url: string
  metricsUrl: string | undefined
  /** Aborts, with a StartupError, if the embedded database was deleted or the instance key was replaced by an unknown one. */
  lost: AbortSignal
  /** Resolves when the dashboard's pages are built, if this process serves them. */
  pagesReady: Promise<void>
  /** Keeps serving, while /readyz tells load balancers that this process will stop. */
  drain(forMs: number): Promise<void>
  stop(): Promise<void>
}

/** `doorcode serve`: runs until a signal. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const signal = shutdownSignal()
  await assertPortsFree(serverPorts(config))
  const serving = await startServing(config, log, { signal })
  await printSetupLink(serving, { log, timeoutMs: SERVER_RETRY_BUDGET_MS, signal })
  const { databaseUrl, dataDir, roles } = config
  const database = databaseUrl === undefined ? `embedded in ${dataDir}` : addressOf(databaseUrl)
  log.info({ url: serving.url, metricsUrl: serving.metricsUrl, roles: [...roles], database }, 'serving')
  await waitForEnd(signal, serving)
  if (serving.lost.aborted) {
    log.fatal((serving.lost.reason as StartupError).message)
    await stopAfterLoss(serving, () => serving.stop())
  }
  log.info({ signal: signal.reason as NodeJS.Signals }, 'shutting down')
  await serving.drain(config.drainSeconds * SECOND_MS)
  await serving.stop()
  log.info('stopped')
}

/** Printed, not logged: logs are kept, and this link makes its holder the owner of the instance. */
async function printSetupLink({ parts }: Serving, budget: RetryBudget): Promise<void> {
  if (!parts.config.roles.has('dashboard')) return
  const link = await withRetries(parts.db, budget, () => createSetupLink(parts))
  if (link) console.log(`This instance has no owner yet. Open this link to become its owner: ${link}`)
}

/** The second one only if metrics are on. */
export function serverPorts({ host, port, metricsPort }: Config): [PortSetting] | [PortSetting, PortSetting] {
  const ofServer: PortSetting = { setting: 'DOORCODE_PORT', host, port, uses: ['API'] }
  if (metricsPort === 0) return [ofServer]
  return [ofServer, { setting: 'DOORCODE_METRICS_PORT', host, port: metricsPort, uses: ['metrics server'] }]
}

/**
 * By default the heap reaches 350 MB under a load that keeps 60 MB alive. With smaller steps it stays below 300 MB at the
 * same rate (npm run bench -- whole-way).
 */
const HEAP_GROWS_BY_PERCENT = 40

type ServingOptions = {
  signal?: AbortSignal
  onClock?: (real: Clock) => Clock
  check?: (db: Db) => Promise<void>
  /** What the examples of the API reference use. */
  example?: () => RequestExample | undefined
}

/**
 * Opens everything from the database up, listens and works. `signal` ends the wait for the database; `onClock` may replace
 * the database's clock; `check` runs before anything in the database is changed. Throws StartupError.
 */
export async function startServing(
  config: Config,
  log: Log,
  { signal, onClock, check, example }: ServingOptions = {},
): Promise<Serving> {
  v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_BY_PERCENT}`)
  await using opened = new AsyncDisposableStack()
  const { parts, wakes, lost, close } = await openParts(config, log, {
    timeoutMs: SERVER_RETRY_BUDGET_MS,
    signal,
    onClock,
    check,
  })
  opened.defer(close)
  await withRetries(parts.db, { log, timeoutMs: SERVER_RETRY_BUDGET_MS, signal }, () =>
    assertOldKeysKnown(parts.db, parts.seal),
  )
  parts.metrics.watchProcess()
  if (config.metricsPort !== 0) {
    const { metrics, db } = parts
    const figures = openFiguresDb(db.url, {
      watch: metrics.watchPool('metrics'),
      onIdleError: (error) => log.warn({ err: error }, 'the database connection of the metrics ended'),
    })
    opened.defer(async () => void (await withTimeout(MAX_CLOSE_MS, figures.close())))
    metrics.watchInstance(createFiguresReader(parts, figures))
  }
  const app = await buildApp(parts, { ...wakes, ...(example && { example }) })
  opened.defer(() => stopInTime(app, log))
  const listen = (server: FastifyInstance, { host, port, setting }: PortSetting): Promise<string> =>
    server.listen({ host, port }).catch(throwListenError({ host, port }, setting))
  const [ofServer, ofMetrics] = serverPorts(config)
  const url = await listen(app.server, ofServer)
  const metricsUrl = ofMetrics && (await listen(app.metricsServer, ofMetrics))
  await wakes.start() // first: leases need a registered node
  if (config.roles.has('worker')) app.startWork()
  const pagesReady = app.preparePages()
  const drain = (forMs: number): Promise<void> => {
    app.drain()
    return wait(forMs, undefined, { signal: lost }).catch(() => undefined)
  }
  const whenStopped = opened.move()
  return { parts, url, metricsUrl, lost, pagesReady, drain, stop: () => whenStopped.disposeAsync() }
}

/** Longer than any request, send or delivery may take. */
export const MAX_STOP_MS = 30_000

/** Abandons work that does not end in time: it is stored as due, and the next start continues it. */
async function stopInTime(app: App, log: Log): Promise<void> {
  if (!(await withTimeout(MAX_STOP_MS, app.stop())))
    log.warn({ afterMs: MAX_STOP_MS }, 'some work did not end in time; the next start will continue it')
}

/** A signal, or the loss of the database or its key. */
export async function waitForEnd(signal: AbortSignal, { lost }: Serving): Promise<void> {
  const end = AbortSignal.any([signal, lost])
  if (!end.aborted) await once(end, 'abort')
}

/** After the loss of the database or of its key, the process can store nothing, or only what no node can decrypt. */
const MAX_STOP_AFTER_LOSS_MS = 5_000

/** Throws the StartupError that says what was lost. */
export async function stopAfterLoss({ parts, lost }: Serving, stop: () => Promise<void>): Promise<never> {
  parts.log.level = 'silent' // everything that fails now fails for the same reason
  await withTimeout(MAX_STOP_AFTER_LOSS_MS, stop()).catch(() => undefined)
  throw lost.reason
}
