import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { connectAccount, describeAccount, readAccount, readRenewedAccount } from '../../accounts/accounts.ts'
import { ConnectedElsewhereError } from '../../accounts/elsewhere.ts'
import { removeAccount } from '../../accounts/remove.ts'
import { pauseSender, resumeSender } from '../../accounts/senders.ts'
import { syncAccount } from '../../accounts/sync/sync.ts'
import { takeOver } from '../../accounts/take-over.ts'
import { FieldError } from '../../lib/errors.ts'
import { getWorkspace } from '../../workspaces/workspaces.ts'
import { findMembership } from '../auth/members.ts'
import { found } from './found.ts'
import { limitedText } from '../inputs.ts'
import { type Operator, action, change, commit, onlyForCommands, recordChange } from './action.ts'

/** The domain validates the values. */
const MAX_TEXT = 4_096
const textInput = limitedText(MAX_TEXT)

const credentials = { accessToken: textInput, appSecret: textInput, verifyToken: textInput }
const accountToConnect = z.object({ wabaId: textInput, graphUrl: textInput, ...credentials })
const accountId = z.uuid(asIssue({ code: 'admin.account_id' }))
export const accountInput = z.object({ accountId })
const senderInput = z.object({ senderId: z.uuid(asIssue({ code: 'admin.senders_sender_id' })) })

/** Names the other workspace that has the account, if the operator may see it. */
const throwWithWorkspaceName =
  ({ db, actor: { userId } }: Operator) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ConnectedElsewhereError)) throw error
    const { workspaceId } = error.elsewhere
    const visible =
      userId === null ? await getWorkspace(db, workspaceId) : await findMembership(db, { userId, workspaceId })
    throw visible ? error.named(visible.name) : error
  }

type AccountToConnect = z.output<typeof accountToConnect> & { workspaceId: string }

/** `takesOver`: takes the account from another workspace that has it. */
async function connect(operator: Operator, account: AccountToConnect, { takesOver }: { takesOver: boolean }) {
  const { workspaceId } = account
  const [wabaId, graphUrl] = [account.wabaId.trim(), account.graphUrl.trim()]
  const reading = await readAccount(operator, account, { takesOver }).catch(throwWithWorkspaceName(operator)) // asks WhatsApp
  const { former, ...stored } = await commit(operator, workspaceId, async (tx, record) => {
    const former = takesOver ? await takeOver(tx, operator, reading) : undefined
    if (former) {
      const { workspaceId, accountId: target } = former
      await record({ workspaceId, action: 'account.removed', target, before: { wabaId } })
    }
    const stored = await connectAccount(tx, operator, reading)
    await record({
      action: stored.isKnown ? 'account.renewed' : 'account.connected',
      target: stored.connected.accountId,
      after: { wabaId, ...(graphUrl && { graphUrl }) },
    })
    return { ...stored, former }
  }).catch(throwWithWorkspaceName(operator))
  if (former) operator.live.changed([former.workspaceId])
  return stored
}

/** Connects an account again with its stored credentials, or with new ones. */
async function connectAgain(
  operator: Operator,
  account: Parameters<typeof readRenewedAccount>[1],
  entered: { action: 'account.subscribed' | 'account.renewed'; after?: object },
) {
  const reading = await readRenewedAccount(operator, account)
  return commit(operator, account.workspaceId, async (tx, record) => {
    await record({ target: account.accountId, ...entered })
    return connectAccount(tx, operator, reading)
  })
}

export const senderActions = {
  connect: action(
    'admin',
    accountToConnect,
    (operator, account) => connect(operator, account, { takesOver: false }),
    'submit',
  ),

  /** Only the command line offers this, because a person may not be allowed to see the other workspace. */
  takeOver: onlyForCommands(
    action('owner', accountToConnect, (operator, account) => connect(operator, account, { takesOver: true }), 'submit'),
  ),

  /** Asks WhatsApp again to send the account's webhooks, with the stored credentials. */
  subscribe: action(
    'admin',
    accountInput,
    (operator, account) => connectAgain(operator, account, { action: 'account.subscribed' }),
    'submit',
  ),

  /** Empty fields keep their values. */
  renew: action(
    'admin',
    z.object({ accountId, ...credentials }),
    async (operator, { workspaceId, accountId, ...fields }) => {
      const given = Object.entries(fields).filter(([, text]) => text.trim() !== '')
      if (given.length === 0) throw new FieldError([{ field: 'accessToken', message: { code: 'admin.nothing_given' } }])
      const account = { workspaceId, accountId, ...Object.fromEntries(given) }
      const after = { renewed: given.map(([field]) => field) }
      return connectAgain(operator, account, { action: 'account.renewed', after })
    },
    'submit',
  ),

  /** `wabaId`: what the operator typed to confirm it. */
  removeAccount: change('admin', z.object({ accountId, wabaId: textInput }), async (context, account) => {
    const { wabaId } = await removeAccount(context.tx, context, account)
    await context.record({ action: 'account.removed', target: account.accountId, before: { wabaId } })
  }),

  /** Reads numbers and templates now, however long WhatsApp takes. The sync stores its result, even a failure, in its own transaction. */
  sync: action('admin', accountInput, async (operator, account) => {
    const { workspaceId, accountId: target } = account
    const before = await describeAccount(operator.db, account)
    const synced = await syncAccount(operator, target, async (tx, { failure }) => {
      const { senders, templates } = await describeAccount(tx, account)
      const after = { numbers: senders.length, templates: templates.length }
      const outcome = failure
        ? { action: 'account.sync_failed' as const, after: { failure } }
        : { action: 'account.synced' as const, after }
      await recordChange(operator, tx, { workspaceId, target, ...outcome })
    })
    return { before, synced }
  }),

  pause: change('admin', senderInput, async ({ tx, record, clock }, sender) => {
    found(await pauseSender(tx, sender, clock.now()), 'sender')
    await record({ action: 'sender.paused', target: sender.senderId })
  }),

  resume: change(
    'admin',
    senderInput,
    async ({ tx, record }, sender) => {
      found(await resumeSender(tx, sender), 'sender')
      await record({ action: 'sender.resumed', target: sender.senderId })
    },
    'submit',
  ),
}
