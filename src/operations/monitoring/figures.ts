import { findUncountedSince } from '../../charts/daily.ts'
import { findHeldEvents } from '../../events/held.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import type { PoolWatch } from '../../lib/db/connection.ts'
import { type Db, type Sql, openDb } from '../../lib/db/pool.ts'
import type { InstanceFigures, InstanceGauge, Sample } from '../../lib/instance-gauges.ts'
import { countBreakers } from '../../messages/queue/lock-senders.ts'
import type { QuarantinedRow } from '../../runtime/jobs/retry.ts'
import { countQuotas } from '../../workspaces/quota.ts'
import { findFoundNow } from '../doctor/alerts/store.ts'
import { SEVERITIES } from '../doctor/finding.ts'
import { readReplication } from '../doctor/database/replication.ts'
import { readTransactions } from '../doctor/database/transactions.ts'
import { countDue, countEndpoints } from '../doctor/work/counts.ts'
import { WORK_GROUPS, type WorkGroup, listOldestDue } from '../doctor/work/oldest-due.ts'
import { listQuarantined } from '../doctor/work/quarantine.ts'
import { readAndCheck } from '../lifecycle/retention/guard.ts'
import { listOverdue } from '../lifecycle/retention/due.ts'

type Reading = { sql: Sql; now: Date; config: Pick<Config, 'keep'> }

/** Figures that are read together, and not again within `keptMs`, however many scrapers ask. */
type Group = { keptMs: number; read: (reading: Reading) => Promise<InstanceFigures> }

const KEPT_MS = 5 * SECOND_MS
/** These change slowly. Retention reads two dozen rows, one statement each, and quotas a row for each workspace. */
const LONG_KEPT_MS = MINUTE_MS

const one = (value: number | null | undefined): Sample[] => (value === null || value === undefined ? [] : [{ value }])

/** Each of `kinds`, with 0 if there is none. */
const each = (label: string, kinds: readonly string[], valueOf: (kind: string) => number): Sample[] =>
  kinds.map((kind) => ({ labels: { [label]: kind }, value: valueOf(kind) }))

const QUARANTINED = ['report', 'message', 'timer'] as const satisfies QuarantinedRow['kind'][]

const work = (group: WorkGroup): Group => ({
  keptMs: KEPT_MS,
  async read({ sql, now }) {
    const oldest = await listOldestDue(sql, now, [group])
    const due = await countDue(sql, group, now)
    const ageMs = (kind: string): number => {
      const dueAt = oldest.find((each) => each.kind === kind)?.dueAt
      return dueAt ? now.getTime() - dueAt.getTime() : 0
    }
    return {
      work_oldest_due_seconds: each('kind', WORK_GROUPS[group], (kind) => ageMs(kind) / SECOND_MS),
      work_due: each('kind', WORK_GROUPS[group], (kind) => due.find((row) => row.kind === kind)?.number ?? 0),
    }
  },
})

/** One locked table leaves only its groups without values. */
const GROUPS: Readonly<Record<string, Group>> = {
  database: {
    keptMs: KEPT_MS,
    async read({ sql }) {
      const { idAge, oldestMs } = await readTransactions(sql)
      return {
        database_up: one(1),
        transaction_id_age: one(idAge),
        oldest_transaction_seconds: one(oldestMs / SECOND_MS),
      }
    },
  },
  replication: {
    keptMs: KEPT_MS,
    async read({ sql }) {
      const { standbys } = await readReplication(sql)
      const inSync = standbys.filter(({ syncState }) => syncState === 'sync' || syncState === 'quorum').length
      const lags = (of: (standby: (typeof standbys)[number]) => number | null): number =>
        Math.max(0, ...standbys.map((standby) => of(standby) ?? 0))
      return {
        standbys: each('state', ['sync', 'async'], (state) => (state === 'sync' ? inSync : standbys.length - inSync)),
        replication_lag_seconds: one(lags(({ lagMs }) => lagMs) / SECOND_MS),
        replication_lag_bytes: one(lags(({ lagBytes }) => lagBytes)),
      }
    },
  },
  ...Object.fromEntries((Object.keys(WORK_GROUPS) as WorkGroup[]).map((group) => [group, work(group)])),
  quarantine: {
    keptMs: KEPT_MS,
    async read({ sql }) {
      const all = await listQuarantined(sql, null)
      return { quarantined: each('kind', QUARANTINED, (kind) => all.filter((row) => row.kind === kind).length) }
    },
  },
  events: {
    keptMs: KEPT_MS,
    async read({ sql, now }) {
      const { number, heldMs } = await findHeldEvents(sql, now)
      return { events_held: one(number), events_held_seconds: one(heldMs / SECOND_MS) }
    },
  },
  doctor: {
    keptMs: KEPT_MS,
    async read({ sql, now }) {
      const { examinedAgoMs, found } = await findFoundNow(sql, now)
      if (examinedAgoMs === null) return {}
      const severities = { ...SEVERITIES, ...Object.fromEntries(found.map(({ code, severity }) => [code, severity])) }
      const codes = new Set(found.map(({ code }) => code))
      return {
        doctor_examined_seconds: one(examinedAgoMs / SECOND_MS),
        doctor_finding: Object.entries(severities).map(([finding, severity]) => ({
          labels: { finding, severity },
          value: codes.has(finding) ? 1 : 0,
        })),
      }
    },
  },
  breakers: {
    keptMs: KEPT_MS,
    async read({ sql, now }) {
      const { open, halfOpen } = await countBreakers(sql, now)
      return { breakers: each('state', ['open', 'half_open'], (state) => (state === 'open' ? open : halfOpen)) }
    },
  },
  endpoints: {
    keptMs: KEPT_MS,
    async read({ sql }) {
      const counts = await countEndpoints(sql)
      return { endpoints: Object.entries(counts).map(([state, value]) => ({ labels: { state }, value })) }
    },
  },
  quotas: {
    keptMs: LONG_KEPT_MS,
    async read({ sql, now }) {
      const counted = await countQuotas(sql, now)
      return {
        quotas: counted.flatMap(({ kind, none, low, enough }) =>
          Object.entries({ none, low, enough }).map(([left, value]) => ({ labels: { kind, left }, value })),
        ),
        quota_lowest_left_ratio: counted.flatMap(({ kind, lowestLeft }) =>
          lowestLeft === null ? [] : [{ labels: { kind }, value: lowestLeft }],
        ),
      }
    },
  },
  retention: {
    keptMs: LONG_KEPT_MS,
    async read({ sql, now, config: { keep } }) {
      const { keep: inForce } = await readAndCheck(sql, { keep, isWorker: false })
      const overdue = await listOverdue(sql, { now, keep: inForce, findUncountedSince })
      return {
        retention_overdue_seconds: overdue.map(({ class: keptClass, behindMs }) => ({
          labels: { class: keptClass },
          value: Math.max(0, behindMs) / SECOND_MS,
        })),
      }
    },
  },
}

type ReaderParts = { config: Pick<Config, 'keep'>; clock: { now(): Date } }

/** What the gauges of the instance show. A group that cannot be read is only counted as unread. */
export function createFiguresReader({ config, clock }: ReaderParts, sql: Sql): () => Promise<InstanceFigures> {
  const readers = Object.entries(GROUPS).map(([group, { keptMs, read }]) => {
    const unread = (value: number): InstanceFigures => ({ figures_unread: [{ labels: { group }, value }] })
    return kept(async () => {
      try {
        return { answer: [await read({ sql, now: clock.now(), config }), unread(0)], keptMs }
      } catch {
        return { answer: [unread(1)], keptMs: KEPT_MS } // one moment must not look like a minute, which raises an alert
      }
    })
  })
  return async () => {
    const all: Partial<Record<InstanceGauge, Sample[]>> = {}
    for (const figures of (await Promise.all(readers.map((read) => read()))).flat())
      for (const [gauge, samples] of Object.entries(figures)) (all[gauge as InstanceGauge] ??= []).push(...samples)
    return { ...all, database_up: all.database_up ?? one(0) }
  }
}

/** At most one run at a time, whose answer serves every caller until it is `keptMs` old. */
function kept<Answer>(run: () => Promise<{ answer: Answer; keptMs: number }>): () => Promise<Answer> {
  let latest: { answer: Promise<Answer>; untilMs: number } | undefined
  return () => {
    if (latest && performance.now() < latest.untilMs) return latest.answer
    const ran = run()
    const asked = { answer: ran.then(({ answer }) => answer), untilMs: Number.POSITIVE_INFINITY }
    latest = asked
    void ran.then(({ keptMs }) => (asked.untilMs = performance.now() + keptMs))
    return asked.answer
  }
}

/** One statement at a time, so that a scrape takes no connection from work. */
const POOL_SIZE = 1
/** A count of 10,000 rows that are not in memory takes a second at most. */
const STATEMENT_TIMEOUT_MS = SECOND_MS
/** Short: several tables may be locked, and all groups are read within the time that a scrape waits. */
const LOCK_TIMEOUT_MS = 100

/** The connection that figures are read with. It takes the place of the one that migrated the database at the start. */
export const openFiguresDb = (url: string, options: { watch: PoolWatch; onIdleError: (error: Error) => void }): Db =>
  openDb({
    url,
    poolSize: POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    ...options,
  })
