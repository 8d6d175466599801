import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { type App, buildApp } from './app.ts'
import { CannotStart } from './cannot-start.ts'
import type { Clock } from './clock.ts'
import type { Config, SettingName } from './config.ts'
import { makeSetupLink } from './dashboard/links.ts'
import { createLog, type Log } from './log.ts'
import { growHeapInSmallSteps } from './memory.ts'
import { openParts, SERVER_PATIENCE_MS } from './open-parts.ts'
import type { Parts } from './parts.ts'

export type Serving = { parts: Parts; url: string; metricsUrl: string | undefined; stop(): Promise<void> }

/** `doorcode serve`: until a signal. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const signal = endingSignal()
  const serving = await startServing(config, log, { signal })
  await tellSetupLink(serving)
  log.info({ url: serving.url, metricsUrl: serving.metricsUrl, roles: [...config.roles] }, 'serving')
  await aborted(signal)
  log.info({ signal: signal.reason as NodeJS.Signals }, 'shutting down')
  await serving.stop()
  log.info('stopped')
}

/** Of an instance that nobody owns yet. A plain line and none of the log, which is kept: whoever has the link owns the rest. */
async function tellSetupLink({ parts }: Serving): Promise<void> {
  if (!parts.config.roles.has('dashboard')) return
  const link = await makeSetupLink(parts)
  if (link) console.log(`Nobody owns this instance yet. Whoever opens this link does: ${link}`)
}

/**
 * Opens everything from the database up, listens and works; `stop` goes the same way back. `signal` ends the wait for a
 * database that does not answer yet; `onClock` may put another clock before the database's. Throws CannotStart.
 */
export async function startServing(
  config: Config,
  log: Log,
  { signal, onClock }: { signal?: AbortSignal; onClock?: (real: Clock) => Clock } = {},
): Promise<Serving> {
  growHeapInSmallSteps()
  await using opened = new AsyncDisposableStack()
  const { parts, wakes, close } = await openParts(config, log, { patienceMs: SERVER_PATIENCE_MS, signal, onClock })
  opened.defer(close)
  parts.metrics.watchProcess()
  const app = await buildApp(parts, wakes)
  opened.defer(() => stopInTime(app, log))
  const { host, port, metricsPort } = config
  const url = await listen(app.server, { host, port }, 'DOORCODE_PORT')
  const metricsUrl =
    metricsPort > 0 ? await listen(app.metricsServer, { host, port: metricsPort }, 'DOORCODE_METRICS_PORT') : undefined
  if (config.roles.has('worker')) app.startWork()
  wakes.start()
  const whenStopped = opened.move()
  return { parts, url, metricsUrl, stop: () => whenStopped.disposeAsync() }
}

type Listener = { listen(options: { host: string; port: number }): Promise<string> }

async function listen(
  server: Listener,
  { host, port }: { host: string; port: number },
  setting: SettingName,
): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    throw portTaken(error, { host, port }, setting) ?? error
  }
}

const reasons: Readonly<Record<string, (setting: SettingName) => string>> = {
  EADDRINUSE: (setting) => `is taken: end what listens there, or set ${setting} to another port`,
  EACCES: (setting) => `is not allowed to this user: set ${setting} to a port above 1023`,
  EADDRNOTAVAIL: () => 'is no address of this machine: set DOORCODE_HOST to one, or to 0.0.0.0 for all',
  ENOTFOUND: () => 'is no address of this machine: set DOORCODE_HOST to one, or to 0.0.0.0 for all',
}

/** What the operator can mend about a port, or undefined for any other error. */
export function portTaken(
  error: unknown,
  { host, port }: { host: string; port: number },
  setting: SettingName,
): CannotStart | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = reasons[code]
  return reason && new CannotStart(`${host}:${port} ${reason(setting)}`)
}

/** Above the longest wait of a request, a send or a delivery that is under way. */
const STOP_MOST_MS = 30_000

/** What does not end in time is given up: it is written down as due, and another start takes it up. */
async function stopInTime(app: App, log: Log): Promise<void> {
  const over = new AbortController()
  const late = wait(STOP_MOST_MS, 'late', { signal: over.signal }).catch(() => 'over')
  const outcome = await Promise.race([app.stop().then(() => 'stopped'), late])
  over.abort()
  if (outcome === 'late') log.warn({ afterMs: STOP_MOST_MS }, 'work under way did not end in time and is left')
}

/** npm passes a terminal's Ctrl-C on to its child, which gets it from the terminal as well: two signals for one. */
const SAME_SIGNAL_MS = 500

/** Aborts with the name of the first signal to end. A second one ends the process at once. */
export function endingSignal(): AbortSignal {
  const ending = new AbortController()
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    ending.abort(signal)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return ending.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
