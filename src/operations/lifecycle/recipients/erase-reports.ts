import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { reportsInPart, splitPart, valuesOfPart } from './find-reports.ts'
import { type Person, findOwned, maskContactCard } from './person.ts'

/** The progress of a scan of all reports. */
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

type ScanStep = { erased: number; userIds: string[]; next: ReportScan | undefined }

/**
 * Erases the reports in one part of the table that belong to the person, matched or not, and returns the user ids in them. In
 * contact cards that others sent, it replaces the number and the user ids. Each pass uses the user ids of the one before. A
 * report that is processed meanwhile may move to a page that the scan has passed, so the scan ends (undefined) only after a
 * complete pass that finds none.
 */
export async function eraseNextReports(
  tx: Sql,
  person: Person,
  { scan, before, pseudonym }: { scan: ReportScan; before: Date; pseudonym: string },
): Promise<ScanStep> {
  const { workspaceId } = person
  const rows = await tx.rows(lockPart, [...valuesOfPart(person, scan.page), before])
  const { reports, pages, next } = splitPart(rows, scan.page)
  const owned: string[] = []
  const userIds: string[] = []
  let masked = 0
  for (const { id, body } of reports) {
    const found = findOwned(person, body)
    if (found) {
      owned.push(id)
      userIds.push(...found.userIds)
      continue
    }
    const replaced = maskContactCard(person, body, pseudonym)
    if (replaced === body) continue
    await tx.rows(writeBody, [workspaceId, id, replaced])
    masked += 1
  }
  if (owned.length > 0) await tx.rows(eraseReports, [workspaceId, owned])
  const erased = owned.length + masked
  const found = scan.found + erased
  if (next !== undefined) return { erased, userIds, next: { page: next, pages, found } }
  return { erased, userIds, next: found === 0 ? undefined : SCAN_START }
}

const lockPart: Statement<{ pages: number; page: number | null; id: string; body: string }> = statement(
  'lock_reports_that_mention_recipient',
  reportsInPart('r.id, r.body', { and: 'and r.received_at < $5', lock: 'for no key update' }),
)

const eraseReports = statement(
  'erase_reports_of_recipient',
  `update provider_reports r set ${BLANK_REPORT}, ${END_REPORT} where workspace_id = $1 and id = any ($2::uuid[])`,
)

const writeBody = statement(
  'mask_number_in_report',
  'update provider_reports set body = $3 where workspace_id = $1 and id = $2',
)
