import { workspaceStatement } from '../../lib/db/workspace-batch.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { ProviderTemplate, TemplateId } from '../../providers/provider.ts'
import type { AccountRef } from './changes.ts'
import type { TemplateUse } from '../../providers/template-draft.ts'
import { readableText } from '../../providers/template-text.ts'
import { type TemplateVerdicts, otpUnusableReason, verdictsOf, withVerdicts } from './usability.ts'

type StoredTemplate = ProviderTemplate & { accountId: string; wabaId: string }

const COLUMNS = `t.account_id as "accountId", a.waba_id as "wabaId", t.provider_template_id as "providerTemplateId",
  t.name, t.language, t.status, t.category, t.quality,
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
  { workspaceId, accountId, name, language }: AccountRef & TemplateId,
): Promise<StoredTemplate | undefined> => sql.row(selectTemplate, [workspaceId, accountId, name, language])

const selectLanguages = statement<{ language: string; status: string }>(
  'list_languages_of_template',
  `select language, status from templates where workspace_id = $1 and account_id = $2 and name = $3
   order by language limit 200`,
)

export const listTemplateLanguages = (
  sql: Sql,
  { workspaceId, accountId, name }: AccountRef & { name: string },
): Promise<{ language: string; status: string }[]> => sql.rows(selectLanguages, [workspaceId, accountId, name])

type TemplateKey = TemplateId & { accountId: string }

type TemplateFilter = {
  workspaceId: string
  status?: string | undefined
  language?: string | undefined
  /** Matches the name or the texts. */
  search?: string | undefined
  /** `none`: templates that Doorcode cannot use. */
  use?: TemplateUse | 'none' | undefined
  after?: TemplateKey | undefined
}

const TEMPLATES_PER_PAGE = 50
/** Usability is not stored, so one page may read this many templates. */
const MAX_SCANNED = 2_000
const SCAN_BATCH = 250

const selectPage = statement<StoredTemplate>(
  'list_stored_templates',
  `select ${COLUMNS} ${OF_WORKSPACE}
   where t.workspace_id = $1
     and ($2::text is null or t.status = $2) and ($3::text is null or t.language = $3)
     and ($4::text is null or strpos(lower(t.name), lower($4)) > 0
       or strpos(lower(jsonb_path_query_array(t.components, '$[*].text')::text), lower($4)) > 0)
     and ($5::text is null or (t.name, t.language, t.account_id) > ($5, $6, $7::uuid))
   order by t.name, t.language, t.account_id limit ${SCAN_BATCH}`,
)

/** One page, by name and language. `next`: the last key that was read; null at the end. */
export async function listStoredTemplates(
  sql: Sql,
  { workspaceId, status, language, search, use, after }: TemplateFilter,
): Promise<{ templates: ListedTemplate[]; next: TemplateKey | null }> {
  const templates: ListedTemplate[] = []
  let cursor = after
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += SCAN_BATCH) {
    const values = [workspaceId, status, language, search, cursor?.name, cursor?.language, cursor?.accountId]
    const rows = await sql.rows(selectPage, values)
    for (const row of rows) {
      if (templates.length === TEMPLATES_PER_PAGE) return { templates, next: cursor ?? null }
      cursor = { name: row.name, language: row.language, accountId: row.accountId }
      const template = toListed(row)
      if (fits(template.verdicts, use)) templates.push(template)
    }
    if (rows.length < SCAN_BATCH) return { templates, next: null }
  }
  return { templates, next: cursor ?? null }
}

function toListed(template: StoredTemplate) {
  const { components, ...listed } = withVerdicts(template)
  return { ...listed, text: readableText(components) }
}

type ListedTemplate = ReturnType<typeof toListed>

function fits(verdicts: TemplateVerdicts, use: TemplateFilter['use']): boolean {
  if (use === undefined) return true
  if (use === 'none') return Object.values(verdicts).every((reason) => reason !== null)
  return verdicts[use] === null
}

/** The choices of the list's filters. */
type TemplateChoices = { languages: string[]; statuses: string[] }

const selectChoices = statement<TemplateChoices>(
  'list_template_choices',
  `select coalesce(array_agg(distinct language order by language), '{}') as languages,
     coalesce(array_agg(distinct status order by status), '{}') as statuses
   from templates where workspace_id = $1`,
)

export const listTemplateChoices = async (sql: Sql, workspaceId: string): Promise<TemplateChoices> =>
  (await sql.row(selectChoices, [workspaceId])) ?? { languages: [], statuses: [] }

type TemplateName = { name: string; language: string; category: string; status: string }

const MAX_NAMES = 1_000

const selectNames = statement<TemplateName>(
  'list_template_names',
  `select distinct name, language, category, status from templates where workspace_id = $1
   order by name, language, category, status limit ${MAX_NAMES}`,
)

/** Every template of the workspace as of the last sync, usable or not. */
export const listTemplateNames = (sql: Sql, workspaceId: string): Promise<TemplateName[]> =>
  sql.rows(selectNames, [workspaceId])

const MAX_APPROVED = 500

type StoredContent = Pick<ProviderTemplate, 'status' | 'category' | 'components'>
export type ApprovedTemplate = TemplateKey & StoredContent

const selectApproved = statement<ApprovedTemplate>(
  'list_approved_templates',
  `select account_id as "accountId", name, language, status, category, components from templates
   where workspace_id = $1 and status = 'APPROVED'
   order by category, name, language, account_id limit ${MAX_APPROVED}`,
)

export const listApprovedTemplates = (sql: Sql, workspaceId: string): Promise<ApprovedTemplate[]> =>
  sql.rows(selectApproved, [workspaceId])

/** Templates that can carry a one-time code. */
export async function listOtpTemplates(sql: Sql, workspaceId: string): Promise<TemplateKey[]> {
  const rows = await listApprovedTemplates(sql, workspaceId)
  return rows.filter((row) => otpUnusableReason(row) === undefined)
}

export async function hasUsableTemplate(sql: Sql, workspaceId: string): Promise<boolean> {
  const rows = await listApprovedTemplates(sql, workspaceId)
  return rows.some(isUsable)
}

const isUsable = (template: StoredContent): boolean => Object.values(verdictsOf(template)).includes(null)

export type StoppedTemplate = TemplateKey & { status: string }

const MAX_STOPPED = 20
/** Usability is not stored, so more are read. */
const MAX_STOPPED_READ = 200

const selectStopped = workspaceStatement<TemplateKey & StoredContent>(
  'list_stopped_templates',
  `select account_id as "accountId", name, language, status, category, components from templates
   where workspace_id = $1 and status in ('PAUSED', 'DISABLED', 'REJECTED')
   order by case status when 'PAUSED' then 0 when 'DISABLED' then 1 else 2 end, name, language limit ${MAX_STOPPED_READ}`,
)

/** Templates that WhatsApp does not send, and that Doorcode could otherwise use. */
export async function listStoppedTemplates(sql: Sql, workspaceId: string): Promise<StoppedTemplate[]> {
  const rows = await sql.rows(selectStopped, [workspaceId])
  return rows
    .filter((row) => isUsable({ ...row, status: 'APPROVED' }))
    .slice(0, MAX_STOPPED)
    .map(({ accountId, name, language, status }) => ({ accountId, name, language, status }))
}
