import { type Sql, statement } from '../db.ts'
import type { TemplateComponent, TemplateId } from '../providers/provider.ts'
import type { AccountOf } from './changes.ts'
import type { TemplateUse } from './draft.ts'
import { textOf } from './text.ts'
import { type Verdicts, likelyUse, verdictsOf, verdictsOnceApproved } from './verdicts.ts'

export type StoredTemplate = TemplateId & {
  accountId: string
  wabaId: string
  status: string
  category: string
  quality: string | null
  rejectedReason: string | null
  parameterFormat: 'POSITIONAL' | 'NAMED'
  sendTtlSeconds: number | null
  components: TemplateComponent[]
}

const COLUMNS = `t.account_id as "accountId", a.waba_id as "wabaId", t.name, t.language, t.status, t.category, t.quality,
  t.rejected_reason as "rejectedReason", t.parameter_format as "parameterFormat", t.send_ttl_seconds as "sendTtlSeconds",
  t.components`

const OF_WORKSPACE = `from templates t
  join provider_accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id`

const selectTemplate = statement<StoredTemplate>(
  'find_stored_template',
  `select ${COLUMNS} ${OF_WORKSPACE}
   where t.workspace_id = $1 and t.account_id = $2 and t.name = $3 and t.language = $4`,
)

export const findStoredTemplate = (
  sql: Sql,
  { workspaceId, accountId, name, language }: AccountOf & TemplateId,
): Promise<StoredTemplate | undefined> => sql.row(selectTemplate, [workspaceId, accountId, name, language])

const selectLanguages = statement<{ language: string; status: string }>(
  'list_languages_of_template',
  `select language, status from templates where workspace_id = $1 and account_id = $2 and name = $3
   order by language limit 200`,
)

export const listLanguagesOf = (
  sql: Sql,
  { workspaceId, accountId, name }: AccountOf & { name: string },
): Promise<{ language: string; status: string }[]> => sql.rows(selectLanguages, [workspaceId, accountId, name])

/** The place of a template in the order of the list. */
export type TemplatePlace = TemplateId & { accountId: string }

export type TemplateFilter = {
  workspaceId: string
  status?: string | undefined
  language?: string | undefined
  /** In the name or in the texts. */
  search?: string | undefined
  /** `none`: what can be used for nothing here. */
  use?: TemplateUse | 'none' | undefined
  after?: TemplatePlace | undefined
}

export type ListedTemplate = TemplateId &
  Pick<StoredTemplate, 'accountId' | 'wabaId' | 'status' | 'category' | 'quality' | 'rejectedReason'> & {
    verdicts: Verdicts
    onceApproved: Verdicts
    likely: TemplateUse
    text: string
  }

export const TEMPLATES_PER_PAGE = 50
/** Whether a template can be used is found by looking at it: so many are looked through for one page. */
const LOOKED_AT_MOST = 2_000
const LOOK_AT_ONCE = 250

const selectPage = statement<StoredTemplate>(
  'list_stored_templates',
  `select ${COLUMNS} ${OF_WORKSPACE}
   where t.workspace_id = $1
     and ($2::text is null or t.status = $2) and ($3::text is null or t.language = $3)
     and ($4::text is null or strpos(lower(t.name), lower($4)) > 0
       or strpos(lower(jsonb_path_query_array(t.components, '$[*].text')::text), lower($4)) > 0)
     and ($5::text is null or (t.name, t.language, t.account_id) > ($5, $6, $7::uuid))
   order by t.name, t.language, t.account_id limit ${LOOK_AT_ONCE}`,
)

/** One page, by name and language. `next` is where to go on; null: there is no more. */
export async function listStoredTemplates(
  sql: Sql,
  { workspaceId, status, language, search, use, after }: TemplateFilter,
): Promise<{ templates: ListedTemplate[]; next: TemplatePlace | null }> {
  const templates: ListedTemplate[] = []
  let place = after
  for (let looked = 0; looked < LOOKED_AT_MOST; looked += LOOK_AT_ONCE) {
    const values = [workspaceId, status, language, search, place?.name, place?.language, place?.accountId]
    const rows = await sql.rows(selectPage, values)
    for (const row of rows) {
      if (templates.length === TEMPLATES_PER_PAGE) return { templates, next: place ?? null }
      place = { name: row.name, language: row.language, accountId: row.accountId }
      const template = listed(row)
      if (fits(template.verdicts, use)) templates.push(template)
    }
    if (rows.length < LOOK_AT_ONCE) return { templates, next: null }
  }
  return { templates, next: place ?? null }
}

function listed(template: StoredTemplate): ListedTemplate {
  const { accountId, wabaId, name, language, status, category, quality, rejectedReason, components } = template
  return {
    accountId,
    wabaId,
    name,
    language,
    status,
    category,
    quality,
    rejectedReason,
    verdicts: verdictsOf(template),
    onceApproved: verdictsOnceApproved(template),
    likely: likelyUse(template),
    text: textOf(components),
  }
}

function fits(verdicts: Verdicts, use: TemplateFilter['use']): boolean {
  if (use === undefined) return true
  if (use === 'none') return Object.values(verdicts).every((reason) => reason !== null)
  return verdicts[use] === null
}

const selectChoices = statement<{ languages: string[] | null; statuses: string[] | null }>(
  'list_template_choices',
  `select array_agg(distinct language order by language) as languages, array_agg(distinct status order by status) as statuses
   from templates where workspace_id = $1`,
)

/** What the filters of the list can be. */
export async function listTemplateChoices(
  sql: Sql,
  workspaceId: string,
): Promise<{ languages: string[]; statuses: string[] }> {
  const row = await sql.row(selectChoices, [workspaceId])
  return { languages: row?.languages ?? [], statuses: row?.statuses ?? [] }
}
