import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { SECOND_MS } from './clock.ts'
import { withTimeout } from './with-timeout.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** The other metrics do not wait longer for a database that hangs. */
const MAX_READ_MS = SECOND_MS

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Held = { number: number; heldMs: number }
const UNKNOWN: Held = { number: Number.NaN, heldMs: Number.NaN }

/** All metrics. Labels have few values: no ids, workspaces or recipients. */
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
  let findHeld: (() => Promise<Held>) | undefined
  let readForMs = MAX_READ_MS
  const readHeld = async (): Promise<Held> => {
    const found = Promise.resolve(findHeld?.() ?? UNKNOWN).catch(() => UNKNOWN)
    return (await withTimeout(readForMs, found)) ? found : UNKNOWN
  }
  let reading: Promise<Held> | undefined
  /** The same answer for all gauges of one read of the metrics, which collects them at the same time. */
  const readHeldOnce = (): Promise<Held> =>
    (reading ??= readHeld().finally(() => {
      reading = undefined
    }))
  const gaugeOfHeld = (name: string, help: string, valueOf: (held: Held) => number) =>
    new Gauge({
      name: `doorcode_${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(valueOf(await readHeldOnce()))
      },
    })
  gaugeOfHeld('events_held', 'Events that cannot be read yet, because a transaction is open', ({ number }) => number)
  gaugeOfHeld(
    'events_held_seconds',
    'How long the oldest open transaction has kept new events from being read',
    ({ heldMs }) => heldMs / SECOND_MS,
  )

  return {
    registry,
    /** Memory, event loop lag and similar. Once per process. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    requests: histogram('http_request_seconds', 'Answered API requests', ['route', 'status'] as const),
    otpAccepted: counter('otp_accepted_total', 'OTP messages accepted'),
    attempts: counter('message_attempts_total', 'Attempts to submit a message, by outcome', ['outcome'] as const),
    acceptToAttempt: histogram('accept_to_attempt_seconds', 'From acceptance of a message to its first attempt'),
    reports: counter('provider_reports_total', 'Stored items of provider webhooks', ['kind'] as const),
    repeatedReports: counter('provider_reports_repeated_total', 'Items that had been stored before'),
    processedReports: counter('provider_reports_processed_total', 'Processed items, by outcome', ['outcome'] as const),
    stuckWork: counter('stuck_work_total', 'Timers and overdue messages whose step failed, by outcome', [
      'work',
      'outcome',
    ] as const),
    rejectedProviderWebhooks: counter('provider_webhooks_rejected_total', 'Provider webhooks that were not stored', [
      'reason',
    ] as const),
    events: counter('events_total', 'Recorded events', ['type'] as const),
    /** Asks the database whenever the metrics are read. The values are NaN if it does not answer in time. */
    watchEvents(find: () => Promise<Held>, maxMs = MAX_READ_MS): void {
      findHeld = find
      readForMs = maxMs
    },
    webhookAttempts: counter('webhook_attempts_total', 'Attempts to deliver a webhook', ['outcome'] as const),
    removalHeld: new Gauge({
      name: 'doorcode_removal_held',
      help: 'Whether this worker removes no old data, because a clock may be wrong: 1 or 0',
      registers: [registry],
    }),
    syncs: counter('account_syncs_total', 'Syncs of provider accounts', ['outcome'] as const),
  }
}
