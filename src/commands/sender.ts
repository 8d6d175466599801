import { senderActions } from '../admin/actions/senders.ts'
import { inEnglish } from '../../locales/resources.ts'
import { act, command, notFound, columns } from './command.ts'
import { argument, uuid, workspace } from './inputs.ts'
import { findWorkspaceOfSender, listSenders, type Sender } from '../accounts/senders.ts'
import { obstacleText } from '../accounts/availability.ts'

const senderList = command({
  words: 'sender list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the senders of a workspace as of the last sync, and why a sender cannot send.',
  options: { workspace },
  async run({ db }, { workspace }) {
    const senders = await listSenders(db, workspace)
    return { workspaceId: workspace, senders: senders.map(withEnglish) }
  },
  format: ({ senders }) =>
    columns(['SENDER ID', 'NUMBER', 'STATUS', 'CAN SEND'], senders.map(cellsOf)) ??
    'The workspace has no senders. Connect an account with “doorcode account connect”.',
})

const withEnglish = ({ senderId, accountId, phoneNumberId, phoneNumber, status, pausedAt, obstacle }: Sender) => ({
  senderId,
  accountId,
  phoneNumberId,
  phoneNumber,
  status,
  pausedAt,
  unavailable: obstacle && inEnglish(obstacleText(obstacle, status)),
})

const cellsOf = ({ senderId, phoneNumber, status, unavailable }: ReturnType<typeof withEnglish>): string[] => [
  senderId,
  phoneNumber,
  status,
  unavailable === null ? 'yes' : `no: ${unavailable}`,
]

const options = { senderId: argument(uuid('The Sender ID, as “doorcode sender list” shows it.')) }

const switchCommand = (verb: 'pause' | 'resume', summary: string, format: (result: { senderId: string }) => string) =>
  command({
    words: `sender ${verb}`,
    example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
    summary,
    options,
    async run(operator, { senderId }) {
      const workspaceId = await findWorkspaceOfSender(operator.db, senderId)
      if (!workspaceId)
        throw notFound(`There is no sender ${senderId}. “doorcode sender list” shows the senders of a workspace.`)
      await act(senderActions[verb], operator, { workspaceId, senderId })
      return { senderId, paused: verb === 'pause' }
    },
    format,
  })

const senderPause = switchCommand(
  'pause',
  'Pause a sender: new requests are rejected, and accepted messages wait.',
  ({ senderId }) =>
    `The sender is paused: new requests are rejected. Accepted messages wait for “doorcode sender resume ${senderId}” until their submission window closes.`,
)

const senderResume = switchCommand(
  'resume',
  'Resume a paused sender.',
  () => 'The sender is resumed: the messages that waited for it will be sent.',
)

export const senderCommands = [senderList, senderPause, senderResume]
