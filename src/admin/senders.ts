import { experimental_standaloneMiddleware } from '@trpc/server'
import { startOfDay, dayAt } from '../charts/days.ts'
import { listSenderTraffic } from '../charts/sender-traffic.ts'
import { later } from '../lib/clock.ts'
import type { Parts } from '../runtime/parts.ts'
import { FieldError } from '../lib/errors.ts'
import { findAccount, getAccount, listAccounts, webhookPathOf } from '../accounts/accounts.ts'
import { listSenders } from '../accounts/senders.ts'
import { GRAPH_URL } from '../accounts/new-account.ts'
import { throwAccountError } from '../accounts/provider-api-error.ts'
import { listRunningSyncs } from '../accounts/sync/sync-progress.ts'
import { syncResult } from '../accounts/sync/sync-result.ts'
import type { AccountRef } from '../accounts/templates/changes.ts'
import { perform } from './actions/action.ts'
import { accountInput, senderActions } from './actions/senders.ts'
import type { Membership } from './auth/members.ts'
import { found } from './actions/found.ts'
import { findEmulatorUrl } from '../sandbox/emulator.ts'
import { callOf, callsOf, readCall, router, writeCall } from './rpc/trpc.ts'

/** The server calls this URL from inside the operator's network and shows the answer (SSRF). */
const mayUseGraphUrl = (graphUrl: string, { operator }: Membership, { config }: Pick<Parts, 'config'>): boolean =>
  operator || config.allowPrivateWebhooks || ['', GRAPH_URL].includes(graphUrl.trim().replace(/\/+$/, ''))

/** For an account of the workspace. */
export const ofAccount = experimental_standaloneMiddleware<{ ctx: { parts: Parts }; input: AccountRef }>().create(
  async ({ ctx, input, next }) => {
    found(await findAccount(ctx.parts.db, input), 'account')
    return next()
  },
)

export const senders = router({
  ...callsOf(senderActions, { subscribe: ofAccount, removeAccount: ofAccount }),

  accounts: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) =>
    (await listAccounts(parts.db, workspaceId)).map((account) => ({
      ...account,
      callbackUrl: callbackUrl(parts, account.accountId),
    })),
  ),

  list: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) => {
    const now = parts.clock.now()
    const senders = await listSenders(parts.db, workspaceId)
    return senders
      .toSorted((a, b) => Number(a.goneAt) - Number(b.goneAt))
      .map(({ breakerOpenUntil, ...sender }) => ({
        ...sender,
        breakerOpenUntil: breakerOpenUntil && breakerOpenUntil > now ? breakerOpenUntil : null,
      }))
  }),

  /** Since midnight in the delivery zone. */
  traffic: readCall.query(({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { timeZone, clockOffsetMs: offsetMs } = membership
    const today = dayAt(later(parts.clock.now(), offsetMs), timeZone)
    return listSenderTraffic(figures, workspaceId, { since: startOfDay(today, timeZone), offsetMs })
  }),

  /** The apps that get the account's webhooks. One call to WhatsApp. */
  subscribers: writeCall
    .input(accountInput)
    .use(ofAccount)
    .mutation(async ({ ctx: { parts }, input }) => {
      const account = await getAccount(parts, input.accountId)
      return parts.provider.subscribers(account).catch(throwAccountError(account))
    }),

  /** The emulator that a sandbox can use. Null if there is none, or if this person may not enter its URL. */
  emulatorUrl: writeCall.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const url = membership.sandbox ? await findEmulatorUrl(parts, workspaceId) : undefined
    return url !== undefined && mayUseGraphUrl(url, membership, parts) ? url : null
  }),

  connect: callOf(senderActions.connect).mutation(async ({ ctx: { parts, operator, membership }, input }) => {
    if (!mayUseGraphUrl(input.graphUrl, membership, parts))
      throw new FieldError([{ field: 'graphUrl', message: { code: 'admin.foreign_graph', graphUrl: GRAPH_URL } }])
    const { connected, isKnown } = await perform(senderActions.connect, operator, input)
    return { ...syncCounts(connected), known: isKnown, callbackUrl: callbackUrl(parts, connected.accountId) }
  }),

  renew: callOf(senderActions.renew)
    .use(ofAccount)
    .mutation(async ({ ctx: { operator }, input }) =>
      syncCounts((await perform(senderActions.renew, operator, input)).connected),
    ),

  /** Running syncs on all nodes. */
  syncs: readCall.query(({ ctx: { parts }, input: { workspaceId } }) => listRunningSyncs(parts, workspaceId)),

  /** The sync continues when the page is closed. */
  sync: callOf(senderActions.sync)
    .use(ofAccount)
    .mutation(async ({ ctx: { operator }, input }) => {
      const { before, synced } = await perform(senderActions.sync, operator, input)
      return syncResult(before, synced)
    }),
})

const callbackUrl = ({ config }: Pick<Parts, 'config'>, accountId: string): string =>
  `${config.publicUrl}${webhookPathOf(accountId)}`

type AccountContents = { accountId: string; senders: readonly object[]; templates: readonly object[] }

const syncCounts = ({ accountId, senders, templates }: AccountContents) => ({
  accountId,
  numbers: senders.length,
  templates: templates.length,
})
