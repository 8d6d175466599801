import { listSenders } from '../accounts/senders.ts'
import { hasUsableTemplate, listOtpTemplates } from '../accounts/templates/stored.ts'
import { type Sql, statement } from '../lib/db/pool.ts'

/** Which steps of the setup are done, in their order. */
export type FirstSteps = { account: boolean; template: boolean; key: boolean; endpoint: boolean; message: boolean }

export async function findFirstSteps(sql: Sql, workspaceId: string, now: Date): Promise<FirstSteps> {
  const steps = await sql.row(selectSteps, [workspaceId, now])
  const { account = false, key = false, endpoint = false, message = false } = steps ?? {}
  return { account, template: account && (await hasUsableTemplate(sql, workspaceId)), key, endpoint, message }
}

const selectSteps = statement<Omit<FirstSteps, 'template'>>(
  'find_first_steps',
  `select
     exists (select from provider_accounts where workspace_id = $1 and status <> 'removed') as account,
     exists (select from api_keys
       where workspace_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)) as key,
     exists (select from webhook_endpoints where workspace_id = $1 and deleted_at is null) as endpoint,
     exists (select from messages where workspace_id = $1) as message`,
)

/** What a first OTP request can use, or what must be set up first. */
export type FirstRequest =
  | { missing: 'account' | 'sender' | 'template' }
  | { missing: null; senderId: string; phoneNumber: string; template: { name: string; language: string } }

export async function findFirstRequest(
  sql: Sql,
  { workspaceId, language: preferred }: { workspaceId: string; language: string },
): Promise<FirstRequest> {
  const senders = await listSenders(sql, workspaceId)
  if (senders.length === 0) return { missing: 'account' }
  const usable = senders.filter(({ obstacle }) => obstacle === null)
  if (usable.length === 0) return { missing: 'sender' }
  const templates = await listOtpTemplates(sql, workspaceId)
  for (const { accountId, senderId, phoneNumber } of usable) {
    const own = templates.filter((each) => each.accountId === accountId)
    const template = own.find(({ language }) => language.split('_')[0] === preferred) ?? own[0]
    if (template) {
      const { name, language } = template
      return { missing: null, senderId, phoneNumber, template: { name, language } }
    }
  }
  return { missing: 'template' }
}
