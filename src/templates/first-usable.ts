import { type Sql, statement } from '../db.ts'
import type { TemplateComponent } from '../providers/provider.ts'
import { otpUnusableReason } from './usability.ts'

export type UsableTemplate = { accountId: string; name: string; language: string }

/** The most that is looked through for one that can be used. */
const LOOKED_THROUGH_MOST = 500

type Row = UsableTemplate & { status: string; category: string; components: TemplateComponent[] }

const selectTemplates = statement<Row>(
  'list_approved_authentication_templates',
  `select account_id as "accountId", name, language, status, category, components from templates
   where workspace_id = $1 and category = 'AUTHENTICATION' and status = 'APPROVED'
   order by name, language, account_id limit ${LOOKED_THROUGH_MOST}`,
)

/** The templates that can carry a one-time code, by name and language. */
export async function listOtpTemplates(sql: Sql, workspaceId: string): Promise<UsableTemplate[]> {
  const rows = await sql.rows(selectTemplates, [workspaceId])
  return rows
    .filter((row) => otpUnusableReason(row) === undefined)
    .map(({ accountId, name, language }) => ({ accountId, name, language }))
}
