import { type Sql, type Statement, type Value, statement } from '../../../lib/db/pool.ts'
import { exportOf } from '../rows.ts'
import { type Person, findOwned, maskContactCard, mentionPatterns, withLearnedUserIds } from './person.ts'

/** Pages of the table: 8 MB, read in one statement. Reports have no index by workspace or number. */
const PAGES_PER_STEP = 1_000
/** Reports in memory at a time: more than a page can hold, so that each step ends on a later page than it began on. */
const MAX_REPORTS_PER_STEP = 2_000

/** `page` is null if nothing was found; the number of pages is always known. */
type PartRow = { pages: number; page: number | null }

type FoundReport = PartRow & { body: string }

/** Reports in one part of the table whose text contains the number or a user id. Not all of them are this person's. */
const reportsInPart = (columns: string, { and = '', lock = '' } = {}): string =>
  `select (pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages, r.*
   from (select 1) always left join lateral (
     select (r.ctid::text::point)[0]::int as page, ${columns} from provider_reports r
     where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
       and r.body like any ($4::text[]) ${and}
     order by r.ctid limit ${MAX_REPORTS_PER_STEP} ${lock}) r on true`

/** The first parameters of the statement. */
const valuesOfPart = (person: Person, page: number): [string, string, string, string[]] => [
  person.workspaceId,
  `(${page},0)`,
  `(${page + PAGES_PER_STEP},0)`,
  mentionPatterns(person),
]

/** The reports of complete pages, and the page on which the next part begins (undefined after the last part). */
type Part<Row> = { reports: Row[]; pages: number; next: number | undefined }

function splitPart<Row extends PartRow>(rows: readonly Row[], page: number): Part<Row> {
  const pages = rows[0]?.pages ?? 0
  // a row that is changed meanwhile may be returned with another page
  const last = Math.min(Math.max(rows.at(-1)?.page ?? page, page + 1), page + PAGES_PER_STEP)
  const end = rows.length < MAX_REPORTS_PER_STEP ? page + PAGES_PER_STEP : last
  const reports = rows.filter((row) => row.page !== null && row.page < end)
  return { reports, pages, next: end < pages ? end : undefined }
}

async function* readParts<Row extends PartRow>(
  sql: Sql,
  person: Person,
  { read, values = [] }: { read: Statement<Row>; values?: readonly Value[] },
): AsyncGenerator<Row> {
  for (let page: number | undefined = 0; page !== undefined; ) {
    const rows: Row[] = await sql.rows(read, [...valuesOfPart(person, page), ...values])
    const part: Part<Row> = splitPart(rows, page)
    yield* part.reports
    page = part.next
  }
}

/** Adds the user ids of all reports that name the number: the person's other reports come without it. */
export async function learnUserIds(sql: Sql, person: Person): Promise<Person> {
  let learned = person
  for await (const { body } of readParts(sql, { ...person, userIds: [] }, { read: readBodies }))
    learned = withLearnedUserIds(learned, findOwned(person, body)?.userIds ?? [])
  return learned
}

/** The person's reports that belong to none of their messages and confirmations. */
export async function* readReports(sql: Sql, person: Person): AsyncGenerator {
  for await (const { body, document } of readParts(sql, person, { read: readDocuments, values: [person.phones] }))
    if (findOwned(person, body)) yield document
}

const readBodies: Statement<FoundReport> = statement('read_reports_that_mention_recipient', reportsInPart('r.body'))

const readDocuments: Statement<FoundReport & { document: unknown }> = statement(
  'export_other_reports',
  reportsInPart(`r.body, ${exportOf('provider_reports', 'r')} as document`, {
    and: `and not exists (
         select from confirmations
         where workspace_id = r.workspace_id and id = r.confirmation_id and recipient = any ($5::text[]))
       and not exists (
         select from messages where workspace_id = r.workspace_id and id = r.message_id and recipient = any ($5::text[]))`,
  }),
)

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
