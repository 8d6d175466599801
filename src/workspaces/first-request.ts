import type { Sql } from '../db.ts'
import { listSenders } from '../senders/list.ts'
import { listOtpTemplates } from '../templates/first-usable.ts'

/** What a first request can name; or what has to be there before one can be made. */
export type FirstRequest =
  | { missing: 'account' | 'sender' | 'template' }
  | { missing: null; senderId: string; phoneNumber: string; template: { name: string; language: string } }

/** With a sender that can send, and a template of its account that can carry a code. */
export async function findFirstRequest(sql: Sql, workspaceId: string): Promise<FirstRequest> {
  const senders = await listSenders(sql, workspaceId)
  if (senders.length === 0) return { missing: 'account' }
  const able = senders.filter(({ unavailable }) => unavailable === null)
  if (able.length === 0) return { missing: 'sender' }
  const templates = await listOtpTemplates(sql, workspaceId)
  for (const { accountId, senderId, phoneNumber } of able) {
    const template = templates.find((each) => each.accountId === accountId)
    if (template) {
      const { name, language } = template
      return { missing: null, senderId, phoneNumber, template: { name, language } }
    }
  }
  return { missing: 'template' }
}
