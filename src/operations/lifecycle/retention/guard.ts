import { HOUR_MS } from '../../../lib/clock.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import { timeOfId } from '../../../lib/ids.ts'
import { type ListedNode, listNodes } from '../../../runtime/jobs/node.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { type GuardState, type Keep, type Removal, checkRemoval, longestKeep, shorterClasses } from './hold.ts'

/** By which time, and how long after it, data may be removed. */
export type Permit = { now: Date; keep: Keep }

/** Everything that removes data by its age asks first (docs/retention.md#when-removal-stops). */
export type RemovalGuard = {
  /** Returns undefined while removal is held. */
  check(): Promise<Permit | undefined>
}

/** How long each running worker that reports it wants to keep data. */
export const keepOfWorkers = (nodes: readonly ListedNode[]): Keep[] =>
  nodes
    .filter(({ isAlive, roles }) => isAlive && roles.includes('worker'))
    .flatMap(({ settings }) => settings.keep ?? [])

/** The longest of them counts. Returns undefined if no worker runs or reports it. */
export const keptByWorkers = (nodes: readonly ListedNode[]): Keep | undefined =>
  keepOfWorkers(nodes).reduce<Keep | undefined>(
    (longer, each) => (longer ? longestKeep(longer, each) : each),
    undefined,
  )

type GuardParts = Pick<Parts, 'db' | 'config' | 'log' | 'metrics'>

/** Of the statement that reads what the guard compares: the node's own measurement may be a minute old, or of another server. */
const DATABASE_TIME = (databaseNow: Date): Date => databaseNow

/** One for each process: it logs when a hold begins and ends. `timeOf` is set by tests and the benchmark. */
export function createRemovalGuard(
  { db, config, log, metrics }: GuardParts,
  { timeOf = DATABASE_TIME }: { timeOf?: (databaseNow: Date) => Date } = {},
): RemovalGuard {
  let reported = ''
  const report = ({ hold, keep }: Removal): void => {
    metrics.removalHeld.set(hold ? 1 : 0)
    const shorter = shorterClasses(config.keep, keep)
    const current = [hold?.reason ?? '', ...shorter].join()
    if (current === reported) return
    reported = current
    if (hold) log.warn({ hold }, 'no old data is removed: run “doorcode retention preview”')
    else if (shorter.length > 0)
      log.warn({ shorter, inForce: keep }, 'shorter settings wait: run “doorcode retention preview”')
    else log.info('removal of old data continues')
  }
  return {
    async check() {
      const process: CheckingProcess = { keep: config.keep, isWorker: true, timeOf }
      const checked = await readAndCheck(db, process)
      if (checked.next) await store(db, process)
      report(checked)
      return checked.hold ? undefined : { now: checked.now, keep: checked.keep }
    },
  }
}

type CheckingProcess = {
  keep: Keep
  /** Whether this process removes data: then its machine's clock counts too. */
  isWorker: boolean
  timeOf?: (databaseNow: Date) => Date
}

/** What the guard of a worker with these settings decides. Changes nothing. `state`: undefined before the first worker. */
export async function readAndCheck(
  sql: Sql,
  { keep, isWorker, timeOf = DATABASE_TIME }: CheckingProcess,
): Promise<Removal & { now: Date; state: GuardState | undefined }> {
  const row = await sql.row(selectState)
  const databaseNow = row?.databaseNow ?? new Date()
  const now = timeOf(databaseNow)
  const ownAheadMs = Date.now() - databaseNow.getTime()
  const nodes = (await listNodes(sql)).filter(({ isAlive }) => isAlive)
  const others = nodes.map(({ settings }) => settings.clockAheadMs ?? 0)
  const machinesAheadMs = isWorker || others.length === 0 ? [ownAheadMs, ...others] : others
  const state = row && toState(row)
  const kept = keptByWorkers(nodes)
  const longer = kept ? longestKeep(keep, kept) : keep
  const lastActiveAt = state ? undefined : await findLastActive(sql)
  return { ...checkRemoval({ now, machinesAheadMs, keep: longer, state, lastActiveAt }), now, state }
}

/** When the instance last wrote anything. Returns undefined for an empty database. */
async function findLastActive(sql: Sql): Promise<Date | undefined> {
  const { times = [], ids = [] } = (await sql.row(selectNewest, [MIN_RUNNING_MS])) ?? {}
  const all = [...times, ...ids.map(timeOfId)].map((at) => at.getTime())
  return all.length > 0 ? new Date(Math.max(...all)) : undefined
}

/** Checks again under the row's lock: another node may have changed it. */
const store = (db: Parts['db'], process: CheckingProcess): Promise<void> =>
  db.transaction(async (tx) => {
    const { state, next: first } = await readAndCheck(tx, process)
    if (!state && first) await tx.rows(insertState, valuesOf(first))
    await tx.rows(lockState)
    const { next } = await readAndCheck(tx, process)
    if (next) await tx.rows(writeState, valuesOf(next))
  })

/** An operator has confirmed that the time is right, and that data is kept as long as `keep` says. */
export async function confirmRemoval(tx: Sql, { now, keep }: Permit): Promise<void> {
  const confirmed = valuesOf({ trustedAt: now, setBackTo: null, keep })
  await tx.rows(insertState, confirmed)
  await tx.rows(writeState, confirmed)
}

const valuesOf = ({ trustedAt, setBackTo, keep: { contentDays, recordsDays, auditDays } }: GuardState) => [
  trustedAt,
  setBackTo,
  contentDays,
  recordsDays,
  auditDays,
]

type StateRow = {
  databaseNow: Date
  trustedAt: Date | null
  setBackTo: Date | null
  contentDays: number
  recordsDays: number
  auditDays: number
}

const toState = ({ trustedAt, setBackTo, contentDays, recordsDays, auditDays }: StateRow): GuardState | undefined =>
  trustedAt ? { trustedAt, setBackTo, keep: { contentDays, recordsDays, auditDays } } : undefined

const selectState = statement<StateRow>(
  'find_removal_guard',
  `select clock_timestamp() as "databaseNow", g.trusted_at as "trustedAt", g.set_back_to as "setBackTo",
     g.content_days as "contentDays", g.records_days as "recordsDays", g.audit_days as "auditDays"
   from (select) one left join removal_guard g on g.only_row`,
)

/** A heartbeat of a node that has just started shows only the time that is in doubt. */
const MIN_RUNNING_MS = HOUR_MS

const newestOf = (table: string): string => `(select id from ${table} order by id desc limit 1)`

const selectNewest = statement<{ times: Date[]; ids: string[] }>(
  'find_newest_records',
  `select
     array_remove(array [
       (select max(seen_at) from nodes where started_at < clock_timestamp() - $1 * interval '1 millisecond'),
       (select max(synced_at) from provider_accounts),
       (select received_at from provider_reports where received_at > '-infinity' order by received_at desc limit 1)], null) as times,
     array_remove(array [${['messages', 'events', 'audit_log', 'workspaces'].map(newestOf).join(', ')}], null)::text[] as ids`,
)

const lockState = statement('lock_removal_guard', 'select from removal_guard where only_row for update')

const insertState = statement(
  'open_removal_guard',
  `insert into removal_guard (trusted_at, set_back_to, content_days, records_days, audit_days)
   values ($1, $2, $3, $4, $5) on conflict do nothing`,
)

const writeState = statement(
  'write_removal_guard',
  `update removal_guard set trusted_at = $1, set_back_to = $2, content_days = $3, records_days = $4, audit_days = $5
   where only_row`,
)
