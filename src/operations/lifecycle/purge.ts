import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type Life, type Table, isBeingSent, lifeOf, partsOf, tableNames } from '../columns.ts'
import type { RemovalGuard } from './retention/guard.ts'
import { FIRST_ENTRY, eraseNumbersFromAuditLog } from './recipients/audit-entries.ts'

const POLL_MS = 5 * SECOND_MS
/** Time for every node to learn of the deletion, and for requests accepted before it to be stored. */
const SETTLE_MS = 10 * SECOND_MS
/** Rows of one table, so that a step holds few locks and other workspaces do not wait for it. */
const MAX_ROWS = 1_000
/** Pages of reports per statement: 800 kB. */
const MAX_PAGES = 100

/** Whether an audit entry of this action may name a recipient. */
type MayNameRecipient = (action: string) => boolean

type PurgeParts = Pick<Parts, 'db' | 'log' | 'live'> & { guard: RemovalGuard; mayNameRecipient: MayNameRecipient }

/**
 * Deletes workspaces that are due, and removes their rows step by step, each in its own transaction. Everything that a step
 * needs to know is in the database, so another node goes on when this one dies.
 */
export function purgeLoop({ db, guard, log, live, mayNameRecipient }: PurgeParts): Loop {
  let walk: Walk | undefined
  return {
    name: 'purge',
    pollMs: POLL_MS,
    async turn() {
      const last = walk
      walk = undefined // set only by a turn that commits: an asynchronous failover may restore what was removed
      const permit = await guard.check()
      if (!permit) return { more: false, idle: true }
      const { now } = permit
      const deleted = await db.rows(deleteDue, [now])
      if (deleted.length > 0) live.changed(deleted.map(({ workspaceId }) => workspaceId))
      const { walk: next, ...turn } = await db.transaction(async (tx): Promise<Turn> => {
        const workspaceId = (await tx.row(lockDeleted, [later(now, -SETTLE_MS)]))?.workspaceId
        if (!workspaceId) return { more: false, idle: true }
        const sent = await removeSent(tx, workspaceId)
        if (sent !== 'none') return { more: sent === 'removed' }
        const first = { ...firstWalk(workspaceId), entry: FIRST_ENTRY }
        const current = last?.workspaceId === workspaceId ? last : first
        if (!current.isOver) return { more: true, walk: { ...current, ...(await walkReports(tx, current)) } }
        if (current.entry !== undefined) return { more: true, walk: await walkAuditLog(tx, current, mayNameRecipient) }
        if (await removeFirst(tx, workspaceId, SETUP)) return { more: true, walk: current }
        await tx.rows(endPurge, [workspaceId, now])
        log.info({ workspaceId }, 'the rows of a deleted workspace are removed')
        return { more: true }
      })
      walk = next
      return turn
    },
  }
}

/** `walk`: where the next turn goes on. */
type Turn = { more: boolean; idle?: true; walk?: Walk }

const deleteDue = statement<{ workspaceId: string }>(
  'delete_workspaces_due',
  `update workspaces set deleted_at = $1
   where deletion_due_at <= $1 and purged_at is null and deleted_at is null
   returning id as "workspaceId"`,
)

const lockDeleted = statement<{ workspaceId: string }>(
  'lock_workspace_to_purge',
  `select id as "workspaceId" from workspaces
   where deletion_due_at is not null and purged_at is null and deleted_at <= $1
   order by deletion_due_at limit 1 for no key update skip locked`,
)

const endPurge = statement('end_workspace_purge', `update workspaces set purged_at = $2, name = '' where id = $1`)

type Step = Statement<{ removed: number }>

/** Whether a step removed rows: then the earlier ones begin again, since work under way may have added some. */
async function removeFirst(tx: Sql, workspaceId: string, steps: readonly Step[]): Promise<boolean> {
  for (const step of steps) {
    const row = await tx.row(step, [workspaceId, MAX_ROWS])
    if (row && row.removed > 0) return true
  }
  return false
}

/** Removes a part of what a workspace has sent. `left`: what is left is locked or being sent. */
export async function removeSent(tx: Sql, workspaceId: string): Promise<'removed' | 'left' | 'none'> {
  if (await removeFirst(tx, workspaceId, WORK)) return 'removed'
  return (await tx.row(findRowsLeft, [workspaceId]))?.left ? 'left' : 'none'
}

const tablesOf = (purge: Life['purge']): Table[] => tableNames.filter((table) => lifeOf(table).purge === purge)

const step = (table: Table, deletion: string): Step =>
  statement(`purge_${table}`, `${deletion} returning 1)\n   select count(*)::int as removed from removed`)

/** What is being sent keeps its rows until the outcome is stored; what another session holds waits for the next turn. */
function workStep(table: Table): Step {
  const parts = Object.groupBy(partsOf(table), ({ part }) => lifeOf(part).purge)
  const isFree = [
    ...(lifeOf(table).leased ? [`not ${isBeingSent('t', 'clock_timestamp()')}`] : []),
    ...(parts.work ?? []).map(({ part, column }) => `not exists (select from ${part} where ${column} = t.id)`),
  ].join(' and ')
  const next = (scope: string): string =>
    `select id from ${table} t where ${scope} and ${isFree} order by id limit $2 for update skip locked`
  // Deliveries have no index by workspace.
  const picked =
    table === 'webhook_deliveries'
      ? `select d.id from webhook_endpoints e
         cross join lateral (${next('workspace_id = e.workspace_id and endpoint_id = e.id')}) d
         where e.workspace_id = $1 limit $2`
      : next('workspace_id = $1')
  const deletions = (parts.part ?? []).map(
    ({ part, column }) =>
      `of_${part} as (delete from ${part} where workspace_id = $1 and ${column} = any (array (select id from picked)))`,
  )
  const removed = `removed as (delete from ${table} where id = any (array (select id from picked))`
  return step(table, [`with picked as materialized (${picked})`, ...deletions, removed].join(',\n   '))
}

const WORK: readonly Step[] = tablesOf('work').map(workStep)

const findRowsLeft = statement<{ left: boolean }>(
  'has_workspace_rows_to_purge',
  `select ${tablesOf('work')
    .filter((table) => table !== 'webhook_deliveries') // without an index by workspace; their events are left too
    .map((table) => `exists (select from ${table} where workspace_id = $1)`)
    .join('\n     or ')} as "left"`,
)

/** Through all reports, page by page, and then through the workspace's audit log. */
type Walk = ReportWalk & {
  /** The last entry of the audit log that was read. Undefined after the last one. */
  entry: string | undefined
}

export type ReportWalk = {
  workspaceId: string
  nextPage: number
  removed: number
  /** Whether all reports are removed. */
  isOver: boolean
}

export const firstWalk = (workspaceId: string): ReportWalk => ({
  workspaceId,
  nextPage: 0,
  removed: 0,
  isOver: false,
})

/**
 * Reports have no index by workspace. An update may move a report to a page that the walk has passed: so it is over only when
 * all of it has found none.
 */
export async function walkReports(tx: Sql, walk: ReportWalk): Promise<ReportWalk> {
  const { workspaceId, nextPage, removed } = walk
  const end = nextPage + MAX_PAGES
  const row = await tx.row(removeReports, [workspaceId, `(${nextPage},0)`, `(${end},0)`])
  const found = removed + (row?.removed ?? 0)
  if (end < (row?.pages ?? 0)) return { ...walk, nextPage: end, removed: found }
  return { ...walk, nextPage: 0, removed: 0, isOver: found === 0 }
}

const removeReports = statement<{ removed: number; pages: number }>(
  'purge_reports',
  `with removed as (
     delete from provider_reports where workspace_id = $1 and ctid >= $2::tid and ctid < $3::tid returning 1)
   select count(*)::int as removed,
     pg_relation_size('provider_reports') / current_setting('block_size')::int as pages from removed`,
)

/** Replaces the recipients' numbers in the audit log, which stays. Nobody can erase them from a deleted workspace later. */
async function walkAuditLog(tx: Sql, walk: Walk, mayNameRecipient: MayNameRecipient): Promise<Walk> {
  const { workspaceId, entry = FIRST_ENTRY } = walk
  const { next } = await eraseNumbersFromAuditLog(tx, { workspaceId, after: entry, mayNameRecipient })
  return { ...walk, entry: next }
}

function setupStep(table: Table): Step {
  const [[parent, column] = []] = Object.entries(lifeOf(table).partOf ?? {})
  const rows = parent
    ? `${column} = any (array (select id from ${parent} where workspace_id = $1 limit $2))`
    : `ctid = any (array (select ctid from ${table} where workspace_id = $1 limit $2))`
  return step(table, `with removed as (delete from ${table} where ${rows}`)
}

const SETUP: readonly Step[] = tablesOf('setup').map(setupStep)
