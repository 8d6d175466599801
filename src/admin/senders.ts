import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import { startOfDay, dayAt } from '../charts/days.ts'
import { listSenderTraffic } from '../charts/sender-traffic.ts'
import { later } from '../lib/clock.ts'
import type { Sql } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { ConnectedElsewhereError } from '../accounts/elsewhere.ts'
import { FieldError } from '../lib/errors.ts'
import {
  connectAccount,
  describeAccount,
  findAccount,
  getAccount,
  listAccounts,
  readAccount,
  readRenewedAccount,
} from '../accounts/accounts.ts'
import { removeAccount } from '../accounts/remove.ts'
import { listSenders, pauseSender, resumeSender } from '../accounts/senders.ts'
import { GRAPH_URL } from '../accounts/new-account.ts'
import { throwAccountError } from '../accounts/provider-api-error.ts'
import { syncAccount } from '../accounts/sync/sync.ts'
import { listRunningSyncs } from '../accounts/sync/sync-progress.ts'
import { syncResult } from '../accounts/sync/sync-result.ts'
import { asIssue } from '../../locales/text.ts'
import { limitedText } from './inputs.ts'
import { type Membership, findMembership } from './auth/members.ts'
import { findEmulatorUrl } from './phone/emulator.ts'
import { found } from './rpc/errors.ts'
import { adminChange, readCall, router, writeCall } from './rpc/trpc.ts'

/** The domain validates the values. */
const MAX_TEXT = 4_096
const textInput = limitedText(MAX_TEXT)

const credentials = { accessToken: textInput, appSecret: textInput, verifyToken: textInput }
const senderInput = z.object({ senderId: z.uuid(asIssue({ code: 'admin.senders_sender_id' })) })

/** The server calls this URL from inside the operator's network and shows the answer (SSRF). */
const mayUseGraphUrl = (graphUrl: string, { operator }: Membership, { config }: Pick<Parts, 'config'>): boolean =>
  operator || config.allowPrivateWebhooks || ['', GRAPH_URL].includes(graphUrl.trim().replace(/\/+$/, ''))

export const accountId = z.uuid(asIssue({ code: 'admin.account_id' }))

export const accountCall = writeCall.input(z.object({ accountId })).use(async ({ ctx, input, next }) => {
  found(await findAccount(ctx.parts.db, input), 'account')
  return next()
})

export const senders = router({
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
        /** The digits are in groups. */
        shownNumber: parsePhoneNumberFromString(sender.phoneNumber)?.formatInternational() ?? sender.phoneNumber,
      }))
  }),

  /** Since midnight in the delivery zone. */
  traffic: readCall.query(({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { timeZone, clockOffsetMs: offsetMs } = membership
    const today = dayAt(later(parts.clock.now(), offsetMs), timeZone)
    return listSenderTraffic(figures, workspaceId, { since: startOfDay(today, timeZone), offsetMs })
  }),

  /** The apps that get the account's webhooks. One call to WhatsApp. */
  subscribers: accountCall.mutation(async ({ ctx: { parts }, input }) => {
    const account = await getAccount(parts, input.accountId)
    return parts.provider.subscribers(account).catch(throwAccountError(account))
  }),

  /** Asks WhatsApp again to send the account's webhooks, with the stored credentials. */
  subscribe: accountCall.mutation(async ({ ctx: { parts, record }, input: { workspaceId, accountId } }) => {
    const reading = await readRenewedAccount(parts, { workspaceId, accountId })
    await parts.db.transaction(async (tx) => {
      await connectAccount(tx, parts, reading)
      await record(tx, { action: 'account.subscribed', target: accountId })
    })
    parts.wake('submit')
  }),

  /** The emulator that a sandbox can use. Null if there is none, or if this person may not enter its URL. */
  emulatorUrl: writeCall.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const url = membership.sandbox ? await findEmulatorUrl(parts, workspaceId) : undefined
    return url !== undefined && mayUseGraphUrl(url, membership, parts) ? url : null
  }),

  connect: writeCall
    .input(z.object({ wabaId: textInput, graphUrl: textInput, ...credentials }))
    .mutation(async ({ ctx: { parts, record, membership, person }, input }) => {
      const { wabaId, graphUrl } = input
      if (!mayUseGraphUrl(graphUrl, membership, parts))
        throw new FieldError([{ field: 'graphUrl', message: { code: 'admin.foreign_graph', graphUrl: GRAPH_URL } }])
      const nameElsewhere = throwNamed(parts.db, person.userId)
      const reading = await readAccount(parts, input).catch(nameElsewhere)
      const { connected, isKnown } = await parts.db
        .transaction(async (tx) => {
          const stored = await connectAccount(tx, parts, reading)
          await record(tx, {
            action: stored.isKnown ? 'account.renewed' : 'account.connected',
            target: stored.connected.accountId,
            after: { wabaId: wabaId.trim(), ...(graphUrl.trim() && { graphUrl: graphUrl.trim() }) },
          })
          return stored
        })
        .catch(nameElsewhere)
      parts.wake('submit')
      return { ...syncCounts(connected), known: isKnown, callbackUrl: callbackUrl(parts, connected.accountId) }
    }),

  /** Empty fields keep their values. */
  renew: accountCall
    .input(z.object(credentials))
    .mutation(async ({ ctx: { parts, record }, input: { workspaceId, accountId, ...fields } }) => {
      const renewed = Object.entries(fields).filter(([, text]) => text.trim() !== '')
      if (renewed.length === 0)
        throw new FieldError([{ field: 'accessToken', message: { code: 'admin.nothing_given' } }])
      const credentials = { workspaceId, accountId, ...Object.fromEntries(renewed) }
      const after = { renewed: renewed.map(([field]) => field) }
      const reading = await readRenewedAccount(parts, credentials)
      const { connected } = await parts.db.transaction(async (tx) => {
        const stored = await connectAccount(tx, parts, reading)
        await record(tx, { action: 'account.renewed', target: accountId, after })
        return stored
      })
      parts.wake('submit')
      return syncCounts(connected)
    }),

  removeAccount: adminChange
    .input(z.object({ accountId, wabaId: textInput }))
    .mutation(async ({ ctx: { tx, parts, record }, input }) => {
      found(await findAccount(tx, input), 'account')
      const { wabaId } = await removeAccount(tx, parts, input)
      await record({ action: 'account.removed', target: input.accountId, before: { wabaId } })
    }),

  /** Running syncs on all nodes. */
  syncs: readCall.query(({ ctx: { parts }, input: { workspaceId } }) => listRunningSyncs(parts, workspaceId)),

  /** Reads numbers and templates now, as long as WhatsApp takes; it continues when the page is closed. */
  sync: accountCall.mutation(async ({ ctx: { parts, record }, input }) => {
    const { accountId } = input
    const before = await describeAccount(parts.db, input)
    const synced = await syncAccount(parts, accountId, async (tx, { failure }) => {
      const { numbers, templates } = syncCounts(await describeAccount(tx, input))
      const change = failure
        ? { action: 'account.sync_failed' as const, after: { failure } }
        : { action: 'account.synced' as const, after: { numbers, templates } }
      await record(tx, { target: accountId, ...change })
    })
    return syncResult(before, synced)
  }),

  pause: adminChange.input(senderInput).mutation(async ({ ctx: { tx, parts, record }, input }) => {
    found(await pauseSender(tx, input, parts.clock.now()), 'sender')
    await record({ action: 'sender.paused', target: input.senderId })
  }),

  resume: adminChange.input(senderInput).mutation(async ({ ctx: { within, record }, input }) => {
    found(await resumeSender(within.db, input), 'sender')
    within.wake('submit')
    await record({ action: 'sender.resumed', target: input.senderId })
  }),
})

/** Names the other workspace that has the account to a person who may see it. */
const throwNamed =
  (sql: Sql, userId: string) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ConnectedElsewhereError)) throw error
    const { workspaceId } = error.elsewhere
    const visible = await findMembership(sql, { userId, workspaceId })
    throw visible ? error.named(visible.name) : error
  }

const callbackUrl = ({ config }: Pick<Parts, 'config'>, accountId: string): string =>
  `${config.publicUrl}/whatsapp/${accountId}`

type AccountContents = { accountId: string; senders: readonly object[]; templates: readonly object[] }

const syncCounts = ({ accountId, senders, templates }: AccountContents) => ({
  accountId,
  numbers: senders.length,
  templates: templates.length,
})
