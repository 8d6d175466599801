import { type Sql, type Statement, type Value, statement } from '../../../lib/db/pool.ts'
import { exportOf } from '../rows.ts'
import { type Person, findOwned, mentionPatterns, withLearnedUserIds } from './person.ts'

/** Pages of the table: 8 MB, read in one statement. Reports have no index by workspace or number. */
const PAGES_PER_STEP = 1_000
/** Reports in memory at a time. This is more than a page can hold, so each step ends on a later page than it began on. */
const MAX_REPORTS_PER_STEP = 2_000

/** Null: nothing was found. The count of pages is known in any case. */
type PartRow = { pages: number; page: number | null }

type FoundReport = PartRow & { body: string }

/** Reports in one part of the table whose text contains the number or a user id: not all are this person's. */
export const reportsInPart = (columns: string, { and = '', lock = '' } = {}): string =>
  `select (pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages, r.*
   from (select 1) always left join lateral (
     select (r.ctid::text::point)[0]::int as page, ${columns} from provider_reports r
     where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
       and r.body like any ($4::text[]) ${and}
     order by r.ctid limit ${MAX_REPORTS_PER_STEP} ${lock}) r on true`

/** The first values of the statement. */
export const valuesOfPart = (person: Person, page: number): [string, string, string, string[]] => [
  person.workspaceId,
  `(${page},0)`,
  `(${page + PAGES_PER_STEP},0)`,
  mentionPatterns(person),
]

/** The reports of complete pages, and the page on which the next part begins (undefined after the last part). */
type Part<Row> = { reports: Row[]; pages: number; next: number | undefined }

export function splitPart<Row extends PartRow>(rows: readonly Row[], page: number): Part<Row> {
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

/** Adds the user ids of all reports that belong to the number: others of the person come without the number. */
export async function learnUserIds(sql: Sql, person: Person): Promise<Person> {
  let learned = person
  for await (const { body } of readParts(sql, { ...person, userIds: [] }, { read: readBodies }))
    learned = withLearnedUserIds(learned, findOwned(person, body)?.userIds ?? [])
  return learned
}

/** Reports that belong to the person and to none of their messages and confirmations. */
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
