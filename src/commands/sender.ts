import type { Sql } from '../db.ts'
import { type Sender, listSenders } from '../senders/list.ts'
import { type SenderOf, findWorkspaceOf, pauseSender, resumeSender } from '../senders/pause.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, required } from './command.ts'
import { uuid } from './inputs.ts'

export const senderList = command({
  words: 'sender list',
  summary: 'List the senders of a workspace as they were at the last sync, and why one cannot send.',
  options: { workspace: required(uuid('W')) },
  changes: false,
  async run({ db }, { workspace }) {
    await workspaceMustExist(db, workspace)
    return { workspaceId: workspace, senders: await listSenders(db, workspace) }
  },
  tell: ({ senders }) => senders.map(inOneLine).join('\n') || 'The workspace has no senders: connect an account.',
})

const inOneLine = ({ senderId, phoneNumber, status, unavailable }: Sender): string =>
  `${senderId}  ${phoneNumber}  ${status}  ${unavailable ?? 'can send'}`

const senderId = { name: 'senderId', ...required(uuid('ID')) }

async function idOf(db: Sql, id: string): Promise<SenderOf> {
  const workspaceId = await findWorkspaceOf(db, id)
  if (!workspaceId)
    throw new SetupRefused(
      asWritten(`There is no sender ${id}: "sender list" tells those of a workspace.`),
      'NOT_FOUND',
    )
  return { workspaceId, senderId: id }
}

export const senderPause = command({
  words: 'sender pause',
  summary: 'Let a sender send nothing until it is resumed: new messages are refused, accepted ones wait.',
  argument: senderId,
  changes: true,
  async run({ db, clock }, { argument: senderId }, record) {
    const sender = await idOf(db, senderId)
    await db.transaction(async (tx) => {
      await pauseSender(tx, sender, clock.now())
      await record(tx, { workspaceId: sender.workspaceId, target: senderId })
    })
    return { senderId, paused: true }
  },
  tell: ({ senderId }) =>
    `The sender is paused: new messages are refused, and accepted ones wait for "sender resume ${senderId}" until their time is over.`,
})

export const senderResume = command({
  words: 'sender resume',
  summary: 'Let a paused sender send again.',
  argument: senderId,
  changes: true,
  async run({ db, wake }, { argument: senderId }, record) {
    const sender = await idOf(db, senderId)
    await db.transaction(async (tx) => {
      await resumeSender({ db: tx, wake: () => {} }, sender)
      await record(tx, { workspaceId: sender.workspaceId, target: senderId })
    })
    wake('submit')
    return { senderId, paused: false }
  },
  tell: () => 'The sender is not paused: accepted messages that waited for it are sent.',
})
