import { type Sql, statement } from '../db.ts'
import { hasUsableTemplate } from '../templates/first-usable.ts'

/** What a new workspace needs, in the order in which it is set up. */
export type FirstSteps = { account: boolean; template: boolean; key: boolean; endpoint: boolean; message: boolean }

/** Which of the first steps are done. */
export async function findFirstSteps(sql: Sql, workspaceId: string, now: Date): Promise<FirstSteps> {
  const steps = await sql.row(selectSteps, [workspaceId, now])
  const { account = false, key = false, endpoint = false, message = false } = steps ?? {}
  return { account, template: account && (await hasUsableTemplate(sql, workspaceId)), key, endpoint, message }
}

const selectSteps = statement<Omit<FirstSteps, 'template'>>(
  'find_first_steps',
  `select
     exists (select from provider_accounts where workspace_id = $1) as account,
     exists (select from api_keys
       where workspace_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)) as key,
     exists (select from webhook_endpoints where workspace_id = $1) as endpoint,
     exists (select from messages where workspace_id = $1) as message`,
)
