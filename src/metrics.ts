import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

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
    refusedProviderWebhooks: counter('provider_webhooks_refused_total', 'Provider webhooks that were not stored', [
      'reason',
    ] as const),
    events: counter('events_total', 'Recorded events', ['type'] as const),
    webhookAttempts: counter('webhook_attempts_total', 'Attempts to deliver a webhook', ['outcome'] as const),
    syncs: counter('account_syncs_total', 'Syncs of provider accounts', ['outcome'] as const),
  }
}
