import { type Sql, type Statement, statement } from '../db/pool.ts'
import { SCAN_START, PAGE_COUNT, PAGES_PER_STEP } from './erase-reports.ts'
import { type Person, identityPattern } from './person.ts'

/** Reports that name the person and belong to none of their messages and confirmations. */
export async function* readReports(sql: Sql, person: Person): AsyncGenerator {
  for (let { page, pages } = SCAN_START; page === 0 || page < pages; page += PAGES_PER_STEP) {
    const values = [person.workspaceId, `(${page},0)`, `(${page + PAGES_PER_STEP},0)`, identityPattern(person)]
    for (const row of await sql.rows(readPart, values)) {
      pages = row.pages
      if (row.document) yield row.document
    }
  }
}

const readPart: Statement<{ pages: number; document: unknown }> = statement(
  'export_other_reports',
  `select ${PAGE_COUNT}, r.document from (select 1) always
   left join lateral (
     select jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id,
       'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body) as document
     from provider_reports r
     where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
       and r.body ~ $4 and r.confirmation_id is null
       and not exists (select from messages where workspace_id = r.workspace_id and id = r.message_id)) r on true`,
)
