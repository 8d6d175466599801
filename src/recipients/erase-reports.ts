import { type Sql, type Statement, statement } from '../db/pool.ts'
import { type Person, identityPattern } from './person.ts'

/** Pages of the table: 8 MB, read in one statement. */
export const PAGES_PER_STEP = 1_000

/** The progress of a scan of all reports, which have no index by workspace or number. */
export type ReportScan = { page: number; pages: number; found: number }

export const SCAN_START: ReportScan = { page: 0, pages: 0, found: 0 }

/** A status that waits to be processed keeps what its message needs. */
const IS_NEEDED = `r.kind = 'status' and r.outcome = 'waiting'`

/** Assignments for the report r. The provider's id contains the number too. */
export const BLANK_REPORT = `body = case when ${IS_NEEDED}
      then regexp_replace(body, '"(id|recipient_id|recipient_user_id)":"[^"]*"', '"\\1":""', 'g') else '' end,
    message_id = coalesce(r.message_id, (
      select m.id from messages m
      where m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id limit 1)),
    provider_message_id = null`

/** An emptied report has nothing left to process. */
export const END_REPORT = `outcome = case when outcome in ('applied', 'ignored') or ${IS_NEEDED} then outcome else 'ignored' end,
    due_at = case when ${IS_NEEDED} then due_at end,
    note = case when outcome in ('applied', 'ignored') or ${IS_NEEDED} then note else '{"code":"messages.erased"}' end`

/**
 * Erases the reports in one part of the table that name the person, matched or not. A report that is processed meanwhile may
 * move to a page that the scan has passed, so the scan ends (undefined) only after a complete pass that finds none.
 */
export async function eraseNextReports(
  tx: Sql,
  person: Person,
  { scan, before }: { scan: ReportScan; before: Date },
): Promise<{ erased: number; next: ReportScan | undefined }> {
  const end = scan.page + PAGES_PER_STEP
  const values = [person.workspaceId, `(${scan.page},0)`, `(${end},0)`, before, identityPattern(person)]
  const row = await tx.row(erasePart, values)
  const { erased = 0, pages = 0 } = row ?? {}
  const found = scan.found + erased
  if (end < pages) return { erased, next: { page: end, pages, found } }
  return { erased, next: found === 0 ? undefined : { page: 0, pages, found: 0 } }
}

const NAMES_PERSON = `workspace_id = $1 and ctid >= $2::tid and ctid < $3::tid and kind in ('status', 'message')
     and received_at < $4 and body ~ $5`

export const PAGE_COUNT = `(pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages`

const erasePart: Statement<{ erased: number; pages: number }> = statement(
  'erase_reports_that_name_recipient',
  `with erased as (update provider_reports r set ${BLANK_REPORT}, ${END_REPORT} where ${NAMES_PERSON} returning 1)
   select count(*)::int as erased, ${PAGE_COUNT} from erased`,
)
