import { type Sql, statement } from '../db.ts'
import type { TemplateComponent, TemplateId } from '../providers/provider.ts'
import { type Verdicts, verdictsOf } from './verdicts.ts'

export type UsableTemplate = TemplateId & { accountId: string }

/** The most that is looked through for one that can be used. */
const LOOKED_THROUGH_MOST = 500

type Row = UsableTemplate & { status: string; category: string; components: TemplateComponent[] }

const selectApproved = statement<Row>(
  'list_approved_templates',
  `select account_id as "accountId", name, language, status, category, components from templates
   where workspace_id = $1 and status = 'APPROVED'
   order by category, name, language, account_id limit ${LOOKED_THROUGH_MOST}`,
)

/** The templates that can carry a one-time code, by name and language. */
export async function listOtpTemplates(sql: Sql, workspaceId: string): Promise<UsableTemplate[]> {
  const rows = await sql.rows(selectApproved, [workspaceId])
  return rows
    .filter((row) => verdictsOf(row).otp === null)
    .map(({ accountId, name, language }) => ({ accountId, name, language }))
}

/** Whether any template can be used for anything. */
export async function hasUsableTemplate(sql: Sql, workspaceId: string): Promise<boolean> {
  const rows = await sql.rows(selectApproved, [workspaceId])
  return rows.some((row) => Object.values(verdictsOf(row) satisfies Verdicts).includes(null))
}

export type StoppedTemplate = UsableTemplate & { status: string }

/** As many as anybody mends in a day. */
const STOPPED_MOST = 20

const selectStopped = statement<StoppedTemplate>(
  'list_stopped_templates',
  `select account_id as "accountId", name, language, status from templates
   where workspace_id = $1 and status in ('PAUSED', 'DISABLED', 'REJECTED')
   order by case status when 'PAUSED' then 0 when 'DISABLED' then 1 else 2 end, name, language limit ${STOPPED_MOST}`,
)

/** What WhatsApp paused, disabled or rejected. */
export const listStoppedTemplates = (sql: Sql, workspaceId: string): Promise<StoppedTemplate[]> =>
  sql.rows(selectStopped, [workspaceId])
