import { english } from '../../locales/resources.ts'
import type { Config } from '../lib/config.ts'
import type { Parts } from '../runtime/parts.ts'
import { type ConnectedAccount, connectAccount, readAccount, unknownAccount } from '../accounts/accounts.ts'
import { ConnectedElsewhereError } from '../accounts/elsewhere.ts'
import { findWorkspaceOfAccount, removeAccount } from '../accounts/remove.ts'
import { syncAccount } from '../accounts/sync/sync.ts'
import { takeOver } from '../accounts/take-over.ts'
import type { Sql } from '../lib/db/pool.ts'
import { getWorkspace } from '../workspaces/workspaces.ts'
import { command } from './command.ts'
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
      'If another workspace has the account, delete it there, as "account delete" does: its senders can no longer be used.',
    ),
  },
  run: async (parts, { workspace: workspaceId, takeOver: takesOver, ...account }, record) => {
    const { wabaId, graphUrl } = account
    const reading = await readAccount(parts, { workspaceId, ...account }, { takesOver }).catch(throwNamed(parts.db))
    const { connected, former } = await parts.db
      .transaction(async (tx) => {
        const former = takesOver ? await takeOver(tx, parts, reading) : undefined
        if (former) {
          const { workspaceId, accountId: target } = former
          await record(tx, { workspaceId, action: 'account.removed', target, before: { wabaId } })
        }
        const { connected, isKnown } = await connectAccount(tx, parts, reading)
        const action = isKnown ? 'account.renewed' : 'account.connected'
        await record(tx, { workspaceId, action, target: connected.accountId, after: { wabaId, graphUrl } })
        return { connected, former }
      })
      .catch(throwNamed(parts.db))
    if (former) parts.live.changed([former.workspaceId])
    parts.wake('submit')
    return connected
  },
  format: (account, { config }) => [formatAccount(account, { config }), '', ...STEPS].join('\n'),
})

/** Names the other workspace that has the account: operators see all of them. */
const throwNamed =
  (sql: Sql) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ConnectedElsewhereError)) throw error
    throw error.named((await getWorkspace(sql, error.elsewhere.workspaceId)).name)
  }

export const accountSync = command({
  words: 'account sync',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Read the numbers and templates of a connected account again.',
  options: { accountId: argument(uuid('The id that "account connect" printed.')) },
  run(parts, { accountId }, record) {
    return syncAccount(parts, accountId, (tx, { workspaceId, failure }) =>
      record(tx, {
        workspaceId,
        target: accountId,
        ...(failure ? { action: 'account.sync_failed', after: { failure } } : { action: 'account.synced' }),
      }),
    )
  },
  format: formatAccount,
})

export const accountDelete = command({
  words: 'account delete',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --waba-id 102290129340398',
  summary: 'Delete a WhatsApp account and its credentials. Its senders can no longer be used.',
  options: {
    accountId: argument(uuid('The id that "account connect" printed.')),
    wabaId: nonEmpty('id', 'The id of the WhatsApp Business Account, to confirm.'),
  },
  async run(parts, { accountId, wabaId }, record) {
    const workspaceId = await findWorkspaceOfAccount(parts.db, accountId)
    if (!workspaceId) throw unknownAccount(accountId)
    await parts.db.transaction(async (tx) => {
      await removeAccount(tx, parts, { workspaceId, accountId, wabaId })
      await record(tx, { workspaceId, action: 'account.removed', target: accountId, before: { wabaId } })
    })
    parts.live.changed([workspaceId])
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
