import { english, inEnglish } from '../../locales/resources.ts'
import { senderActions } from '../admin/actions/senders.ts'
import type { Config } from '../lib/config.ts'
import type { Parts } from '../runtime/parts.ts'
import { type ConnectedAccount, listAccounts, unknownAccount } from '../accounts/accounts.ts'
import { findWorkspaceOfAccount } from '../accounts/remove.ts'
import type { AccountRef } from '../accounts/templates/changes.ts'
import type { Sql } from '../lib/db/pool.ts'
import { act, columns, command } from './command.ts'
import { argument, flag, nonEmpty, optional, secret, url, uuid, workspace } from './inputs.ts'
import { GRAPH_URL } from '../accounts/new-account.ts'

export const accountConnect = command({
  words: 'account connect',
  example:
    '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --waba-id 102290129340398 --access-token-file token.txt --app-secret-file app-secret.txt --verify-token-file verify-token.txt',
  summary: 'Connect a WhatsApp account, or replace the credentials of a connected one.',
  options: {
    workspace,
    wabaId: nonEmpty('id', 'The id of the WhatsApp Business Account.'),
    accessToken: secret(
      'WHATSAPP_ACCESS_TOKEN',
      nonEmpty('token', 'An access token with permission to send messages and manage templates.'),
    ),
    appSecret: secret(
      'WHATSAPP_APP_SECRET',
      nonEmpty('secret', 'The secret of the Meta app, which signs its webhooks.'),
    ),
    verifyToken: secret(
      'WHATSAPP_VERIFY_TOKEN',
      nonEmpty(
        'token',
        'A word that you make up, without spaces. Enter it in the webhook settings of the Meta app too.',
      ),
    ),
    graphUrl: optional(url(`The base URL of the Graph API. Default: ${GRAPH_URL}`)),
    takeOver: flag(
      'If another workspace has the account, delete it there, as “doorcode account delete” does: its senders can no longer be used.',
    ),
  },
  async run(operator, { workspace: workspaceId, takeOver, graphUrl = '', ...account }) {
    const action = takeOver ? senderActions.takeOver : senderActions.connect
    return (await act(action, operator, { workspaceId, graphUrl, ...account })).connected
  },
  format: (account, { config }) => [formatAccount(account, { config }), '', ...STEPS].join('\n'),
})

const accountList = command({
  words: 'account list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the WhatsApp accounts of a workspace with their status and its reason.',
  options: { workspace },
  async run({ db }, { workspace: workspaceId }) {
    const accounts = await listAccounts(db, workspaceId)
    const inWords = accounts.map((account) => ({
      ...account,
      statusDetail: account.statusDetail && inEnglish(account.statusDetail),
    }))
    return { workspaceId, accounts: inWords }
  },
  format: ({ accounts }) =>
    columns(
      ['ACCOUNT', 'WABA ID', 'TEMPLATES', 'SYNCED', 'STATUS'],
      accounts.map(({ accountId, wabaId, templates, syncedAt, status, statusDetail }) => [
        accountId,
        wabaId,
        String(templates),
        syncedAt?.toISOString() ?? 'never',
        statusDetail ? `${status} (${statusDetail})` : status,
      ]),
    ) ?? 'The workspace has no accounts. Connect one with “doorcode account connect”.',
})

/** The command line names only the account, so its workspace is looked up. */
async function findRef(db: Sql, accountId: string): Promise<AccountRef> {
  const workspaceId = await findWorkspaceOfAccount(db, accountId)
  if (!workspaceId) throw unknownAccount(accountId)
  return { workspaceId, accountId }
}

const accountSync = command({
  words: 'account sync',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Read the numbers and templates of a connected account again.',
  options: { accountId: argument(uuid('The id that “doorcode account list” shows.')) },
  async run(operator, { accountId }) {
    return (await act(senderActions.sync, operator, await findRef(operator.db, accountId))).synced
  },
  format: formatAccount,
})

const accountDelete = command({
  words: 'account delete',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --waba-id 102290129340398',
  summary: 'Delete a WhatsApp account and its credentials. Its senders can no longer be used.',
  options: {
    accountId: argument(uuid('The id that “doorcode account list” shows.')),
    wabaId: nonEmpty('id', 'The id of the WhatsApp Business Account, to confirm.'),
  },
  async run(operator, { accountId, wabaId }) {
    await act(senderActions.removeAccount, operator, { ...(await findRef(operator.db, accountId)), wabaId })
    return { accountId, deleted: true }
  },
  format: ({ accountId }) =>
    `Account ${accountId} is deleted. Its accepted messages wait until it is connected again or their submission window closes.`,
})

function formatAccount(
  { accountId, webhookPath, senders, templates }: ConnectedAccount,
  { config }: Pick<Parts, 'config'>,
): string {
  return [
    `Account ${accountId}`,
    `Callback URL: ${config.publicUrl}${webhookPath}${hintFor(config)}`,
    ...section('Senders', senders, (sender) => `${sender.senderId}  ${sender.phoneNumber}  ${sender.status}`),
    ...section('Templates', templates, (each) => `${each.name} (${each.language})  ${each.category}  ${each.status}`),
  ].join('\n')
}

/** WhatsApp accepts https only; the emulator accepts http as well. */
const hintFor = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https://')
    ? ''
    : ' (WhatsApp requires an https:// address, so set DOORCODE_PUBLIC_URL to it; the emulator accepts this one)'

/** As on the Senders page: nothing arrives before a person has done this. */
const STEPS = [
  'WhatsApp sends no webhooks until the callback URL is entered in the settings of the Meta app:',
  ...(['steps_1', 'steps_2', 'steps_3', 'steps_4'] as const).map(
    (step, index) => `  ${index + 1}. ${english.t(`page_senders.${step}`)}`,
  ),
  'The callback URL is above; the verify token is the one that this command was given.',
]

const section = <Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] =>
  items.length === 0 ? [`${title}: none`] : [`${title}:`, ...items.map((item) => `  ${line(item)}`)]

export const accountCommands = [accountConnect, accountList, accountSync, accountDelete]
