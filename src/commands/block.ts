import { COMMAND_LINE } from '../dashboard/audit.ts'
import { blockRecipient, liftBlock } from '../workspaces/blocked.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, required } from './command.ts'
import { phone, uuid } from './inputs.ts'

const options = { workspace: required(uuid('W')), phone: required(phone) }

export const blockAdd = command({
  words: 'block add',
  summary: 'Refuse every message to a recipient.',
  options,
  changes: true,
  async run({ db, clock }, { workspace: workspaceId, phone }, record) {
    await workspaceMustExist(db, workspaceId)
    const changed = await db.transaction(async (tx) => {
      const added = await blockRecipient({ db: tx, clock }, { workspaceId, phone, by: COMMAND_LINE.who })
      if (added) await record(tx, { workspaceId, target: phone, after: { blocked: true } })
      return added
    })
    return { workspaceId, phone, blocked: true, changed }
  },
  tell: ({ phone, changed }) => `${phone} is ${changed ? 'now' : 'already'} blocked.`,
})

export const blockRemove = command({
  words: 'block remove',
  summary: 'Let messages to a recipient through again.',
  options,
  changes: true,
  async run({ db }, { workspace: workspaceId, phone }, record) {
    await workspaceMustExist(db, workspaceId)
    const changed = await db.transaction(async (tx) => {
      const lifted = await liftBlock(tx, { workspaceId, phone })
      if (!lifted) return false
      const { reason, blockedBy, blockedAt } = lifted
      const before = { blocked: true, reason, blockedBy, blockedAt }
      await record(tx, { workspaceId, target: phone, before, after: { blocked: false } })
      return true
    })
    return { workspaceId, phone, blocked: false, changed }
  },
  tell: ({ phone, changed }) => (changed ? `${phone} is no longer blocked.` : `${phone} was not blocked.`),
})
