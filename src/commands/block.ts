import { COMMAND_LINE } from '../admin/audit/audit.ts'
import { blockRecipients, unblockRecipient } from '../workspaces/blocked.ts'
import { command } from './command.ts'
import { phone, workspace } from './inputs.ts'

const options = { workspace, phone: phone('The phone number of the recipient, such as +212612345678.') }

export const blockAdd = command({
  words: 'block add',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Reject every request for a message to a recipient.',
  options,
  async run({ db, clock }, { workspace: workspaceId, phone }, record) {
    const changed = await db.transaction(async (tx) => {
      const recipients = [{ phone, reason: null }]
      const added = await blockRecipients({ db: tx, clock }, { workspaceId, by: COMMAND_LINE.who, recipients })
      if (added.length > 0)
        await record(tx, { workspaceId, action: 'recipient.blocked', target: phone, after: { reason: null } })
      return added.length > 0
    })
    return { workspaceId, phone, blocked: true, changed }
  },
  format: ({ phone, changed }) => `${phone} is ${changed ? 'now' : 'already'} blocked.`,
})

export const blockRemove = command({
  words: 'block remove',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Allow messages to a blocked recipient again.',
  options,
  async run({ db }, { workspace: workspaceId, phone }, record) {
    const changed = await db.transaction(async (tx) => {
      const removed = await unblockRecipient(tx, { workspaceId, phone })
      if (!removed) return false
      const { reason, blockedBy, blockedAt } = removed
      const before = { reason, blockedBy, blockedAt }
      await record(tx, { workspaceId, action: 'recipient.unblocked', target: phone, before })
      return true
    })
    return { workspaceId, phone, blocked: false, changed }
  },
  format: ({ phone, changed }) => (changed ? `${phone} is no longer blocked.` : `${phone} was not blocked.`),
})
