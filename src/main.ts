import { once } from 'node:events'
import v8 from 'node:v8'
import type { FastifyInstance } from 'fastify'
import { type App, buildApp } from './app.ts'
import { StartupError } from './startup-error.ts'
import type { Clock } from './clock.ts'
import type { Config, SettingName } from './config.ts'
import { type RetryBudget, withRetries } from './start/database.ts'
import { createSetupLink } from './admin/auth/links.ts'
import { createLog, type Log } from './log.ts'
import { openParts, SERVER_RETRY_BUDGET_MS } from './start/open.ts'
import type { Parts } from './parts.ts'
import { settlesWithin } from './settles-within.ts'

export type Serving = { parts: Parts; url: string; metricsUrl: string | undefined; stop(): Promise<void> }

/** `doorcode serve`: runs until a signal. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const signal = shutdownSignal()
  const serving = await startServing(config, log, { signal })
  await printSetupLink(serving, { log, timeoutMs: SERVER_RETRY_BUDGET_MS, signal })
  log.info({ url: serving.url, metricsUrl: serving.metricsUrl, roles: [...config.roles] }, 'serving')
  await waitForAbort(signal)
  log.info({ signal: signal.reason as NodeJS.Signals }, 'shutting down')
  await serving.stop()
  log.info('stopped')
}

/** Printed, not logged: logs are kept, and this link makes its holder the owner of the instance. */
async function printSetupLink({ parts }: Serving, budget: RetryBudget): Promise<void> {
  if (!parts.config.roles.has('dashboard')) return
  const link = await withRetries(parts.db, budget, () => createSetupLink(parts))
  if (link) console.log(`This instance has no owner yet. Open this link to become its owner: ${link}`)
}

/**
 * By default the heap reaches 350 MB under a load that keeps 60 MB alive. With smaller steps it stays below 300 MB at the
 * same rate (npm run bench -- whole-way).
 */
const HEAP_GROWS_BY_PERCENT = 40

/**
 * Opens everything from the database up, listens and works. `signal` ends the wait for the database; `onClock` may replace
 * the database's clock. Throws StartupError.
 */
export async function startServing(
  config: Config,
  log: Log,
  { signal, onClock }: { signal?: AbortSignal; onClock?: (real: Clock) => Clock } = {},
): Promise<Serving> {
  v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_BY_PERCENT}`)
  await using opened = new AsyncDisposableStack()
  const { parts, wakes, close } = await openParts(config, log, { timeoutMs: SERVER_RETRY_BUDGET_MS, signal, onClock })
  opened.defer(close)
  parts.metrics.watchProcess()
  const app = await buildApp(parts, wakes)
  opened.defer(() => stopInTime(app, log))
  const { host, port, metricsPort } = config
  const listen = (server: FastifyInstance, address: Address, setting: SettingName): Promise<string> =>
    server.listen(address).catch(throwListenError(address, setting))
  const url = await listen(app.server, { host, port }, 'DOORCODE_PORT')
  const metricsUrl =
    metricsPort > 0 ? await listen(app.metricsServer, { host, port: metricsPort }, 'DOORCODE_METRICS_PORT') : undefined
  await wakes.start() // first: leases need a registered node
  if (config.roles.has('worker')) app.startWork()
  const whenStopped = opened.move()
  return { parts, url, metricsUrl, stop: () => whenStopped.disposeAsync() }
}

const listenErrors: Readonly<Record<string, (setting: SettingName) => string>> = {
  EADDRINUSE: (setting) => `is in use. Stop the other program or set ${setting} to another port.`,
  EACCES: (setting) => `is not allowed for this user. Set ${setting} to a port above 1023.`,
  EADDRNOTAVAIL: () => 'is not an address of this machine. Set DOORCODE_HOST to one, or to 0.0.0.0 for all.',
  ENOTFOUND: () => 'is not an address of this machine. Set DOORCODE_HOST to one, or to 0.0.0.0 for all.',
}

type Address = { host: string; port: number }

/** A StartupError if the operator can fix the error, which otherwise stays as it is. */
export const throwListenError =
  ({ host, port }: Address, setting: SettingName) =>
  (error: unknown): never => {
    const reason = listenErrors[error instanceof Error && 'code' in error ? String(error.code) : '']
    throw reason ? new StartupError(`${host}:${port} ${reason(setting)}`) : error
  }

/** Longer than any request, send or delivery may take. */
const MAX_STOP_MS = 30_000

/** Abandons work that does not end in time: it is stored as due, and the next start continues it. */
async function stopInTime(app: App, log: Log): Promise<void> {
  if (!(await settlesWithin(MAX_STOP_MS, app.stop())))
    log.warn({ afterMs: MAX_STOP_MS }, 'some work did not end in time; the next start will continue it')
}

/** npm forwards a terminal's Ctrl-C to its child, which also gets it from the terminal: two signals for one. */
const SAME_SIGNAL_MS = 500

/** Aborts with the name of the first signal. A second one exits at once. */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    controller.abort(signal)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
