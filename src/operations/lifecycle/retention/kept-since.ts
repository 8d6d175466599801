import { type Sql, statement } from '../../../lib/db/pool.ts'
import { timeOfId } from '../../../lib/ids.ts'

/** In this order: removed records take their content with them. */
export const KEPT_CLASSES = ['content', 'records', 'audit'] as const
export type KeptClass = (typeof KEPT_CLASSES)[number]

/** Since when each class of data is complete, in real time. Null: nothing of it was ever removed. */
export type KeptSince = Record<KeptClass, Date | null>

export async function findKeptSince(sql: Sql): Promise<KeptSince> {
  const rows = await sql.rows(select)
  const of = (keptClass: KeptClass): Date | null => rows.find((row) => row.class === keptClass)?.at ?? null
  const [content, records, audit] = [of('content'), of('records'), of('audit')]
  return { content: latest(content, records), records, audit }
}

/**
 * Whether data of a class may have been removed from a row, by the row's id. Read it in the snapshot of the rows: what is
 * removed commits together with how far the removal has come.
 */
export async function findRemoved(sql: Sql, keptClass: KeptClass): Promise<(id: string) => boolean> {
  const { [keptClass]: keptSince } = await findKeptSince(sql)
  return (id) => keptSince !== null && timeOfId(id) <= keptSince
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? (one ?? other) : one > other ? one : other

const select = statement<{ class: KeptClass; at: Date | null }>(
  'find_kept_since',
  'select class, max(kept_since) as at from retention group by class',
)

/**
 * Whether the contents of events are removed up to this one, so that later ones may be gone too. False for a recent event,
 * whose content can only have been erased.
 */
export const isBeforeKeptEvents = async (sql: Sql, eventId: string): Promise<boolean> =>
  (await sql.row(selectRemovedEvents, [eventId])) !== undefined

const selectRemovedEvents = statement(
  'find_removal_of_events',
  `select from retention where step = 'content of events' and position >= $1::uuid`,
)

/** For one workspace: what was removed before it existed belonged to others. Its id contains the time when it was created. */
export function sinceBeginning(workspaceId: string, { content, records, audit }: KeptSince): KeptSince {
  const began = timeOfId(workspaceId)
  const ifLater = (at: Date | null): Date | null => (at !== null && at > began ? at : null)
  return { content: ifLater(content), records: ifLater(records), audit: ifLater(audit) }
}
