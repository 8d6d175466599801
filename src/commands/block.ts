import { COMMAND_LINE } from '../dashboard/audit.ts'
import { blockRecipient, unblockRecipient } from '../workspaces/blocked.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { type Recorded, command, required } from './command.ts'
import { phone, uuid } from './inputs.ts'

const options = { workspace: required(uuid('W')), phone: required(phone) }

type Changed = { result: { workspaceId: string; phone: string; blocked: boolean; changed: boolean } }

const records = ({ result: { workspaceId, phone, blocked, changed } }: Changed): Recorded | undefined =>
  changed ? { workspaceId, target: phone, after: { blocked } } : undefined

export const blockAdd = command({
  words: 'block add',
  summary: 'Refuse every message to a recipient.',
  options,
  async run(parts, { workspace, phone }) {
    await workspaceMustExist(parts.db, workspace)
    const changed = await blockRecipient(parts, { workspaceId: workspace, phone, by: COMMAND_LINE.who })
    return { workspaceId: workspace, phone, blocked: true, changed }
  },
  records,
  tell: ({ phone, changed }) => `${phone} is ${changed ? 'now' : 'already'} blocked.`,
})

export const blockRemove = command({
  words: 'block remove',
  summary: 'Let messages to a recipient through again.',
  options,
  async run({ db }, { workspace, phone }) {
    await workspaceMustExist(db, workspace)
    const changed = await unblockRecipient(db, { workspaceId: workspace, phone })
    return { workspaceId: workspace, phone, blocked: false, changed }
  },
  records,
  tell: ({ phone, changed }) => (changed ? `${phone} is no longer blocked.` : `${phone} was not blocked.`),
})
