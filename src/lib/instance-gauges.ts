import { Gauge, type Registry } from 'prom-client'
import { SECOND_MS } from './clock.ts'
import { withTimeout } from './with-timeout.ts'

/** The other metrics do not wait longer for a database that hangs. */
const MAX_READ_MS = 2 * SECOND_MS

/** Gauges of what is in the database. Every node reports the same values, so alerts and boards take their maximum. */
export const INSTANCE_GAUGES = {
  database_up: { help: 'Whether the database responded when these figures were last read: 1 or 0', labels: [] },
  figures_unread: {
    help: 'Whether figures of a group could not be read, such as because a table is locked: 1 or 0',
    labels: ['group'],
  },
  work_due: { help: 'Work that is due, by kind; at most 10,000 are counted', labels: ['kind'] },
  work_oldest_due_seconds: { help: 'How long the oldest due work has been due, by kind; 0: none is', labels: ['kind'] },
  quarantined: { help: 'Quarantined work, by kind; at most 1,000 are counted', labels: ['kind'] },
  events_held: { help: 'Events that cannot be read yet, because a transaction is open', labels: [] },
  events_held_seconds: {
    help: 'How long the oldest open transaction has kept new events from being read',
    labels: [],
  },
  breakers: { help: 'Senders whose circuit breaker is not closed, by state: open or half_open', labels: ['state'] },
  endpoints: { help: 'Endpoints, by state: healthy, failing, paused or disabled', labels: ['state'] },
  quotas: {
    help: 'Monthly quotas of workspaces that are no sandboxes, by what is left: none, low (less than a tenth) or enough',
    labels: ['kind', 'left'],
  },
  quota_lowest_left_ratio: {
    help: 'The share of the month’s quota that is left, of the workspace with the lowest one, by kind',
    labels: ['kind'],
  },
  retention_overdue_seconds: {
    help: 'For how long the oldest row of a class should have been removed; 0: nothing is overdue',
    labels: ['class'],
  },
  transaction_id_age: {
    help: 'The age of the oldest transaction id of the server; PostgreSQL stops writing before 2,147,483,647',
    labels: [],
  },
  oldest_transaction_seconds: { help: 'Age of the oldest open transaction in this database', labels: [] },
  standbys: { help: 'Standbys of the database, by state: sync or async', labels: ['state'] },
  replication_lag_seconds: { help: 'How far the last standby is behind, in time', labels: [] },
  replication_lag_bytes: { help: 'How far the last standby is behind, in bytes of WAL', labels: [] },
  doctor_examined_seconds: { help: 'How long ago a worker last examined the instance', labels: [] },
  doctor_finding: {
    help: 'Whether the latest examination found it: 1 or 0; after no examination it has no value',
    labels: ['finding', 'severity'],
  },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>

export type InstanceGauge = keyof typeof INSTANCE_GAUGES

export type Sample = { labels?: Readonly<Record<string, string>>; value: number }

/** A gauge without samples is unknown: it has no value. */
export type InstanceFigures = { [name in InstanceGauge]?: readonly Sample[] }

/** The database did not answer in time. */
const UNKNOWN: InstanceFigures = { database_up: [{ value: 0 }] }

export function createInstanceGauges(registry: Registry) {
  let find: (() => Promise<InstanceFigures>) | undefined
  let maxReadMs = MAX_READ_MS
  const read = async (): Promise<InstanceFigures> => {
    const found = find ? find().catch(() => UNKNOWN) : Promise.resolve({})
    return (await withTimeout(maxReadMs, found)) ? found : UNKNOWN
  }
  let reading: Promise<InstanceFigures> | undefined
  /** The same answer for all gauges of one read of the metrics, which collects them at the same time. */
  const readOnce = (): Promise<InstanceFigures> =>
    (reading ??= read().finally(() => {
      reading = undefined
    }))
  for (const [name, { help, labels }] of Object.entries(INSTANCE_GAUGES)) {
    const gauge = new Gauge<string>({ name: `doorcode_${name}`, help, labelNames: [...labels], collect, registers: [] })
    registry.registerMetric(gauge)
    async function collect(): Promise<void> {
      const samples = (await readOnce())[name as InstanceGauge] ?? []
      gauge.reset()
      for (const { labels: values = {}, value } of samples) gauge.set(values, value)
      if (samples.length === 0 && labels.length === 0) gauge.set(Number.NaN)
    }
  }
  return {
    /** Asks whenever the metrics are read. What does not answer in time has no value. */
    watch: (next: () => Promise<InstanceFigures>, maxMs = MAX_READ_MS): void => {
      find = next
      maxReadMs = maxMs
    },
  }
}
