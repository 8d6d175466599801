import { type Sql, statement } from '../db/pool.ts'
import { type ListedNode, listNodes } from '../jobs/node.ts'
import type { Parts } from '../parts.ts'
import { type GuardState, type Judgement, type Keep, judgeRemoval, longestKeep, shorterClasses } from './hold.ts'

/** By which time, and how long after it, data may be removed. */
export type Permit = { now: Date; keep: Keep }

/** Everything that removes data by its age asks first (docs/retention.md#when-removal-stops). */
export type RemovalGuard = {
  /** Undefined while removal is held. */
  ask(): Promise<Permit | undefined>
}

/** How long the running workers want to keep data: the longest of them counts. Undefined if none runs or reports it. */
export function keptByWorkers(nodes: readonly ListedNode[]): Keep | undefined {
  const all = nodes
    .filter(({ isAlive, roles }) => isAlive && roles.includes('worker'))
    .map(({ settings }) => settings.keep)
  return all.reduce((longer, each) => (longer && each ? longestKeep(longer, each) : (longer ?? each)), undefined)
}

type GuardParts = Pick<Parts, 'db' | 'clock' | 'config' | 'log' | 'metrics'>

/** One for each process: it logs when a hold begins and ends. */
export function createRemovalGuard({ db, clock, config, log, metrics }: GuardParts): RemovalGuard {
  let reported = ''
  const report = ({ hold, keep }: Judgement): void => {
    metrics.removalHeld.set(hold ? 1 : 0)
    const shorter = shorterClasses(config.keep, keep)
    const current = [hold?.reason ?? '', ...shorter].join()
    if (current === reported) return
    reported = current
    if (hold) log.warn({ hold }, 'no old data is removed: run "doorcode retention preview"')
    else if (shorter.length > 0)
      log.warn({ shorter, inForce: keep }, 'shorter settings wait: run "doorcode retention preview"')
    else log.info('removal of old data continues')
  }
  return {
    async ask() {
      const now = clock.now()
      const question = { now, keep: config.keep, isWorker: true }
      const judged = await readAndJudge(db, question)
      if (judged.next) await store(db, question)
      report(judged)
      return judged.hold ? undefined : { now, keep: judged.keep }
    },
  }
}

type Question = {
  now: Date
  keep: Keep
  /** Whether this process removes data: then its machine's clock counts too. */
  isWorker: boolean
}

/** What the guard of a worker with these settings decides. Changes nothing. `state`: undefined before the first worker. */
export async function readAndJudge(
  sql: Sql,
  { now, keep, isWorker }: Question,
): Promise<Judgement & { state: GuardState | undefined }> {
  const row = await sql.row(selectState)
  const ownAheadMs = row ? Date.now() - row.databaseNow.getTime() : 0
  const nodes = (await listNodes(sql)).filter(({ isAlive }) => isAlive)
  const others = nodes.map(({ settings }) => settings.clockAheadMs ?? 0)
  const machinesAheadMs = isWorker || others.length === 0 ? [ownAheadMs, ...others] : others
  const state = row && toState(row)
  const kept = keptByWorkers(nodes)
  const longer = kept ? longestKeep(keep, kept) : keep
  return { ...judgeRemoval({ now, machinesAheadMs, keep: longer, state }), state }
}

/** Judges again under the row's lock: another node may have changed it. */
const store = (db: Parts['db'], question: Question): Promise<void> =>
  db.transaction(async (tx) => {
    const { state, next: first } = await readAndJudge(tx, question)
    if (!state && first) await tx.rows(insertState, valuesOf(first))
    await tx.rows(lockState)
    const { next } = await readAndJudge(tx, question)
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
