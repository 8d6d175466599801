import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import { type Clock, SECOND_MS } from './clock.ts'
import type { PoolUse, PoolWatch } from './db/connection.ts'
import { createInstanceGauges } from './instance-gauges.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Up to the time for which requests, commits and loops wait during a failover. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type WatchedLoop = { name: string; pollMs: number }

/** The sampling interval. Each sample wakes an idle process: the default of 10 ms would wake it 100 times a second. The lags include it. */
const EVENT_LOOP_PRECISION_MS = 250

/** All metrics. Labels have few values: no ids, workspaces or recipients. `npm run docs` writes them to docs/monitoring.md. */
export function createMetrics() {
  const registry = new Registry()
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `doorcode_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Histogram({
      name: `doorcode_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: SECONDS,
      registers: [registry],
    })
  /** `read` sets the values whenever the metrics are read. */
  const gauge = <Label extends string>(
    name: string,
    help: string,
    { labels = [], read }: { labels?: readonly Label[]; read?: (gauge: Gauge<Label>) => void } = {},
  ): Gauge<Label> => {
    const made: Gauge<Label> = new Gauge({
      name: `doorcode_${name}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      ...(read && { collect: () => read(made) }),
    })
    return made
  }

  const loops = new Map<string, { pollMs: number; succeededAtMs: number }>()
  const pools = new Map<string, () => PoolUse>()
  let clock: Clock | undefined

  const build = gauge('build_info', 'The running release: 1', { labels: ['version', 'node_version', 'node_id'] })
  const instance = createInstanceGauges(registry)
  const loopTurns = histogram('loop_turn_seconds', 'Turns of background loops, by outcome: done or failed', [
    'loop',
    'outcome',
  ])
  gauge('loop_since_success_seconds', 'Time since the last turn of a loop that did not fail, or since its start', {
    labels: ['loop'],
    read: (made) => {
      for (const [loop, { succeededAtMs }] of loops) made.set({ loop }, (performance.now() - succeededAtMs) / SECOND_MS)
    },
  })
  gauge('loop_poll_seconds', 'The longest sleep of a loop that has work; a loop without work may sleep longer', {
    labels: ['loop'],
    read: (made) => {
      for (const [loop, { pollMs }] of loops) made.set({ loop }, pollMs / SECOND_MS)
    },
  })
  gauge('pool_connections', 'Database connections of a pool, by state: in_use or idle', {
    labels: ['pool', 'state'],
    read: (made) => {
      for (const [pool, use] of pools) {
        made.set({ pool, state: 'in_use' }, use().inUse)
        made.set({ pool, state: 'idle' }, use().idle)
      }
    },
  })
  gauge('pool_waiting', 'Statements and transactions that wait for a connection of a pool', {
    labels: ['pool'],
    read: (made) => {
      for (const [pool, use] of pools) made.set({ pool }, use().waiting)
    },
  })
  const poolWaits = histogram('pool_wait_seconds', 'Waits for a connection of a pool that had no idle one', ['pool'])
  gauge('clock_ahead_seconds', 'How far the clock of this machine is ahead of the database’s', {
    read: (made) => made.set(clock ? (Date.now() - clock.now().getTime()) / SECOND_MS : Number.NaN),
  })

  return {
    registry,
    /** Memory, event loop lag and similar. Once per process. */
    watchProcess: () =>
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS }),
    setBuild: (nodeId: string): void =>
      build.set({ version: manifest.version, node_version: process.version, node_id: nodeId }, 1),
    watchClock(databaseClock: Clock): void {
      clock = databaseClock
    },
    /** Returns what must be called after each turn. */
    watchLoop({ name: loop, pollMs }: WatchedLoop): (outcome: 'done' | 'failed', ms: number) => void {
      const watched = { pollMs, succeededAtMs: performance.now() }
      loops.set(loop, watched)
      // An alert sees no increase in a series that first appears as 1.
      for (const outcome of ['done', 'failed']) loopTurns.zero({ loop, outcome })
      return (outcome, ms) => {
        if (outcome === 'done') watched.succeededAtMs = performance.now()
        loopTurns.observe({ loop, outcome }, ms / SECOND_MS)
      }
    },
    watchPool: (pool: string): PoolWatch => ({
      opened: (use) => void pools.set(pool, use),
      waited: (ms) => poolWaits.observe({ pool }, ms / SECOND_MS),
    }),
    watchInstance: instance.watch,
    requests: histogram('http_request_seconds', 'API requests that got a response', ['route', 'status'] as const),
    dashboardRequests: histogram(
      'dashboard_request_seconds',
      'Requests of the dashboard that got a response, without its streams',
      ['route', 'status'] as const,
    ),
    delayedRequests: counter(
      'requests_delayed_total',
      'Requests that waited for their turn, because their workspace sent much more than all others together',
    ),
    otpAccepted: counter('otp_accepted_total', 'OTP messages accepted'),
    providerRequests: histogram('provider_request_seconds', 'Requests to the provider, by operation and outcome', [
      'operation',
      'outcome',
    ] as const),
    attempts: counter('message_attempts_total', 'Attempts to submit a message, by outcome', ['outcome'] as const),
    acceptToAttempt: histogram('accept_to_attempt_seconds', 'From acceptance of a message to its first attempt'),
    providerWebhooks: histogram(
      'provider_webhook_seconds',
      'Webhooks of the provider that got a response, by outcome: stored, rejected or failed',
      ['outcome'] as const,
    ),
    reports: counter('provider_reports_total', 'Stored items of provider webhooks', ['kind'] as const),
    repeatedReports: counter('provider_reports_repeated_total', 'Items that had been stored before'),
    processedReports: counter('provider_reports_processed_total', 'Processed items, by outcome', ['outcome'] as const),
    stuckWork: counter(
      'stuck_work_total',
      'Timers, overdue messages, ends of verifications and events of undelivered codes whose step failed, by outcome',
      ['work', 'outcome'] as const,
    ),
    rejectedProviderWebhooks: counter('provider_webhooks_rejected_total', 'Provider webhooks that were not stored', [
      'reason',
    ] as const),
    spansDropped: counter('spans_dropped_total', 'Spans that were lost, by reason: full or not_exported', [
      'reason',
    ] as const),
    authHooks: histogram('auth_hook_seconds', 'Requests to auth hooks, by outcome: accepted, rejected or failed', [
      'outcome',
    ] as const),
    rejectedAuthHooks: counter(
      'auth_hooks_rejected_total',
      'Requests to auth hooks that were rejected before the hook processed them: signature, address (over its limit) or time',
      ['reason'] as const,
    ),
    events: counter('events_total', 'Recorded events', ['type'] as const),
    webhookAttempts: histogram('webhook_attempt_seconds', 'Attempts to deliver a webhook, by outcome', [
      'outcome',
    ] as const),
    removalHeld: gauge('removal_held', 'Whether this worker removes no old data, because a clock may be wrong: 1 or 0'),
    syncs: counter('account_syncs_total', 'Syncs of provider accounts', ['outcome'] as const),
  }
}
