import { type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID } from '../../../lib/ids.ts'
import type { KeptClass } from './kept-since.ts'
import { type CountRow, type Step, lockThen, removedBy, rowStatements, toCount } from './step.ts'

/** A message has about three reports, and removing them must keep pace. Nothing refers to them, so a larger page is still fast. */
const MAX_REPORTS = 2_000

type ReportPage = { seen: number; id: string | null; at: string | null; ids: string[] }

/** Reports are walked in the order of their arrival: their ids are made from their content. */
export function reportsStep({
  class: keptClass,
  condition = 'true',
  removal,
}: {
  class: KeptClass
  /** Of the rows that hold something to remove. */
  condition?: string
  /** Of `$1`, what is not to be processed any more. */
  removal: Statement<{ id: string }>
}): Step {
  const of = `${keptClass}_of_provider_reports`
  const page = statement<ReportPage>(
    `page_${of}`,
    `with page as materialized (
       select id, received_at, ${condition} as holds from provider_reports
       where received_at > '-infinity' and received_at >= $1::timestamptz and received_at < $3 and (received_at, id) > ($1::timestamptz, $2)
       order by received_at, id limit ${MAX_REPORTS}
     ), last as (
       select id, received_at from page order by received_at desc, id desc limit 1)
     select (select count(*)::int from page) as seen, (select id from last) as id, (select received_at::text from last) as at,
       array (select id from page where holds) as ids`,
  )
  const next = statement<{ at: Date }>(
    `next_${of}`,
    `select received_at as at from provider_reports
     where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2)
     order by received_at, id limit 1`,
  )
  const count = statement<CountRow>(
    `count_${of}`,
    `select count(*) filter (where holds)::int as rows, count(*)::int as seen
     from (
       select ${condition} as holds from provider_reports
       where received_at > '-infinity' and received_at >= $1::timestamptz and received_at < $3 and (received_at, id) > ($1::timestamptz, $2)
       order by received_at, id limit $4) next`,
  )
  const { existing, lock } = rowStatements(of, 'provider_reports')
  const remove = removedBy(removal)
  return {
    name: `${keptClass} of provider_reports`,
    table: 'provider_reports',
    class: keptClass,
    showsInUse: false, // reports have their own checks
    maxRows: MAX_REPORTS,
    next: async (sql, after) => (await sql.row(next, [after?.at ?? '-infinity', after?.id ?? FIRST_ID]))?.at,
    async page(tx, after, until) {
      const row = await tx.row(page, [after?.at ?? '-infinity', after?.id ?? FIRST_ID, until])
      const { seen = 0, id = null, at = null, ids = [] } = row ?? {}
      return { seen, ids, last: id === null || at === null ? undefined : { id, at } }
    },
    count: async (sql, after, until, maxRead) =>
      toCount(await sql.row(count, [after?.at ?? '-infinity', after?.id ?? FIRST_ID, until, maxRead]), maxRead),
    existing: async (tx, ids) => (await tx.rows(existing, [ids])).map(({ id }) => id),
    remove: (tx, ids) => lockThen(tx, lock, ids, (locked) => remove(tx, locked)),
  }
}
