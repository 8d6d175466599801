import type { Config } from '../config.ts'
import type { Parts } from '../parts.ts'
import { type ConnectedAccount, connectAccount } from '../senders/accounts.ts'
import { syncAccount } from '../senders/sync.ts'
import { command, optional, required } from './command.ts'
import { filled, url, uuid } from './inputs.ts'

export const accountConnect = command({
  words: 'account connect',
  summary: 'Connect a WhatsApp account, or give a connected one new secrets.',
  options: {
    workspace: required(uuid('W')),
    wabaId: required(filled('ID')),
    accessToken: required(filled('T')),
    appSecret: required(filled('S')),
    verifyToken: required(filled('V')),
    graphUrl: optional(url),
  },
  changes: true,
  run: (parts, { workspace: workspaceId, ...account }, record) => {
    const { wabaId, graphUrl } = account
    return connectAccount(parts, { workspaceId, ...account }, (tx, accountId) =>
      record(tx, { workspaceId, target: accountId, after: { wabaId, graphUrl } }),
    )
  },
  tell: tellAccount,
})

export const accountSync = command({
  words: 'account sync',
  summary: 'Read the numbers and templates of a connected account again.',
  argument: { name: 'accountId', ...required(uuid('ID')) },
  changes: true,
  run(parts, { argument: accountId }, record) {
    return syncAccount(parts, accountId, (tx, { workspaceId, failure }) =>
      record(tx, { workspaceId, target: accountId, after: failure ? { failure } : undefined }),
    )
  },
  tell: tellAccount,
})

function tellAccount(
  { accountId, webhookPath, senders, templates }: ConnectedAccount,
  { config }: Pick<Parts, 'config'>,
): string {
  return [
    `Account ${accountId}. WhatsApp sends its webhooks to ${config.publicUrl}${webhookPath}.${hintOf(config)}`,
    ...section('Senders', senders, (sender) => `${sender.senderId}  ${sender.phoneNumber}  ${sender.status}`),
    ...section('Templates', templates, (each) => `${each.name} (${each.language})  ${each.category}  ${each.status}`),
  ].join('\n')
}

/** WhatsApp itself takes no other address. A twin does. */
const hintOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https://') ? '' : ' WhatsApp asks for an https:// address: set DOORCODE_PUBLIC_URL to it.'

const section = <Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] =>
  items.length === 0 ? [`${title}: none`] : [`${title}:`, ...items.map((item) => `  ${line(item)}`)]
