import { createFairShare } from '../../lib/db/fair-share.ts'
import { backgroundLoops } from '../background/table.ts'
import type { Clock } from '../../lib/clock.ts'
import { createDatabaseClock } from './database-clock.ts'
import type { Config } from '../../lib/config.ts'
import { type RetryBudget, openDatabase, withRetries } from './database.ts'
import { connectionsOf } from '../../lib/db/connection-count.ts'
import type { Db } from '../../lib/db/pool.ts'
import { adoptRestoredEvents } from '../../events/restored.ts'
import { openSeal } from '../../operations/secrets/open.ts'
import { nodeSettings } from '../jobs/node.ts'
import { createWakeUps, type WakeUps } from '../jobs/wake.ts'
import type { Log } from '../../lib/log.ts'
import { type Tracer, type TracingConfig, createTracer } from '../../lib/tracing.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { createMetrics } from '../../lib/metrics.ts'
import type { Parts } from '../parts.ts'
import { createNodeKeys } from '../../operations/secrets/nodes.ts'
import { measured } from '../../providers/measured.ts'
import { createWhatsApp } from '../../providers/whatsapp/whatsapp.ts'
import { withTimeout } from '../../lib/with-timeout.ts'

type OpenPartsOptions = Omit<RetryBudget, 'log'> & {
  /** See DbOptions. */
  statementTimeoutMs?: number | undefined
  /** May replace the database's clock. */
  onClock?: ((real: Clock) => Clock) | undefined
  /** See OpenDatabaseOptions. */
  check?: ((db: Db) => Promise<void>) | undefined
}

type OpenParts = {
  parts: Parts
  wakes: WakeUps
  /** Aborts, with a StartupError, if the embedded database was deleted or the instance key was replaced by an unknown one. */
  lost: AbortSignal
  close: () => Promise<void>
}

/** Long enough for a database that starts at the same time. */
export const SERVER_RETRY_BUDGET_MS = 60_000
/** Short, since a person is waiting. */
export const COMMAND_RETRY_BUDGET_MS = 5_000

/** A silent database must not keep a node that stops. */
export const MAX_LEAVE_MS = 5_000

/** Opens the database and everything else the program needs. Throws StartupError for what the operator can fix. */
export async function openParts(
  config: Config,
  log: Log,
  { onClock = (real) => real, statementTimeoutMs, check, ...waiting }: OpenPartsOptions,
): Promise<OpenParts> {
  await using opened = new AsyncDisposableStack()
  const budget = { log, ...waiting }
  const isNode = config.roles.size > 0
  const metrics = createMetrics()
  const database = await openDatabase({
    config,
    connections: isNode ? connectionsOf(config) : 0,
    statementTimeoutMs,
    check,
    isNode,
    watch: metrics.watchPool('main'),
    ...budget,
  })
  opened.defer(database.close)
  const { db } = database
  const seal = await withRetries(db, budget, () => openSeal(config, db))
  if (isNode) await withRetries(db, budget, () => adoptRestoredEvents(db))
  const real = await withRetries(db, budget, () => createDatabaseClock(db))
  const clock = onClock(opened.adopt(real, (clock) => clock.stop()))
  const provider = opened.adopt(measured(createWhatsApp(), metrics), (provider) => provider.close())
  const keys = createNodeKeys(seal)
  const wakes = opened.adopt(
    createWakeUps({
      db,
      roles: config.roles,
      log,
      settings: nodeSettings(config),
      keys,
      onTime: real.follow,
    }),
    async (wakes) => void (await withTimeout(MAX_LEAVE_MS, wakes.stop())),
  )
  const { wake, live, node } = wakes
  metrics.setBuild(node.id)
  if (isNode) log.setBindings({ node: node.id })
  const tracer =
    isNode && config.tracing
      ? opened.adopt(createNodeTracer(config.tracing, { log, metrics, node }), (tracer) => tracer.close())
      : undefined
  metrics.watchClock(clock)
  const loops = backgroundLoops
  const parts = {
    config,
    db,
    clock,
    seal,
    log,
    metrics,
    provider,
    wake,
    live,
    node,
    acceptedMessages: {},
    recordedDeliveries: {},
    fairShare: createFairShare({ onDelayed: () => metrics.delayedRequests.inc() }),
    tracer,
    loops,
  }
  const whenClosed = opened.move()
  const lost = AbortSignal.any([keys.lost, ...(database.lost ? [database.lost] : [])])
  return { parts, wakes, lost, close: () => whenClosed.disposeAsync() }
}

/** With the node and the release of the spans, and a counter of those that are lost. */
export function createNodeTracer(
  tracing: TracingConfig,
  { log, metrics, node }: Pick<Parts, 'log' | 'metrics' | 'node'>,
): Tracer {
  return createTracer(tracing, {
    log,
    node: node.id,
    release: manifest.version,
    dropped: (reason, spans) => metrics.spansDropped.inc({ reason }, spans),
  })
}
