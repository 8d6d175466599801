import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import { beginOf, dayAt } from '../charts/days.ts'
import { later } from '../clock.ts'
import type { Sql } from '../db.ts'
import { must } from '../http/fields.ts'
import type { Parts } from '../parts.ts'
import { AccountRefused } from '../senders/account-refused.ts'
import { connectAccount, describeAccount, getAccount, renewCredentials } from '../senders/accounts.ts'
import { findAccount, listAccounts, listSenderOverviews, listTraffic } from '../senders/overview.ts'
import { pauseSender, resumeSender } from '../senders/pause.ts'
import { GRAPH_URL } from '../senders/new-account.ts'
import { providerRefusal } from '../senders/provider-refusal.ts'
import { readStatusDetail } from '../senders/status-detail.ts'
import { syncAccount } from '../senders/sync.ts'
import { listSyncsUnderWay } from '../senders/sync-progress.ts'
import { syncResult } from '../senders/sync-result.ts'
import { keptSentences } from '../sentences.ts'
import { audit } from './audit.ts'
import { refusedFields } from './field-faults.ts'
import type { Membership } from './membership.ts'
import { changing, missing, reading, router } from './trpc.ts'

const says = keptSentences({
  foreignGraph: {
    en: 'Leave it empty. Only an operator of this instance may name another address than {graphUrl}: this server calls it.',
    ar: 'اتركه فارغًا. لا يحق إلا لمشغّل هذا النظام أن يذكر عنوانًا غير {graphUrl}: فهذا الخادم يتصل به.',
  },
  accountId: { en: 'is not the id of an account', ar: 'ليس معرّف حساب' },
  senderId: { en: 'is not a Sender ID', ar: 'ليس معرّف مرسل' },
  nothingGiven: { en: 'Give what is to be replaced.', ar: 'اكتب ما يُراد استبداله.' },
})

/** The domain says what is wrong with what is given; here only that it is some text. */
const GIVEN_MOST = 4_096
const given = z.string().max(GIVEN_MOST, must.haveAtMost({ most: GIVEN_MOST }).en)

const credentials = { accessToken: given, appSecret: given, verifyToken: given }
const ofAccount = z.object({ accountId: z.uuid(says.accountId.en) })
const ofSender = z.object({ senderId: z.uuid(says.senderId.en) })

/** Whatever stands there is called from inside the operator's network, and its answer told. */
const mayName = (graphUrl: string, { operator }: Membership, { config }: Pick<Parts, 'config'>): boolean =>
  operator || config.allowPrivateWebhooks || ['', GRAPH_URL].includes(graphUrl.trim().replace(/\/+$/, ''))

export const senders = router({
  accounts: reading.query(async ({ ctx: { parts, language }, input: { workspaceId } }) =>
    (await listAccounts(parts.db, workspaceId)).map(({ statusDetail, ...account }) => ({
      ...account,
      statusDetail: statusDetail && readStatusDetail(statusDetail)[language],
      callbackUrl: callbackUrl(parts, account.accountId),
    })),
  ),

  list: reading.query(async ({ ctx: { parts }, input: { workspaceId } }) =>
    (await listSenderOverviews(parts.db, workspaceId, parts.clock.now())).map((sender) => ({
      ...sender,
      /** In groups of digits, as people read it. */
      shownNumber: parsePhoneNumberFromString(sender.phoneNumber)?.formatInternational() ?? sender.phoneNumber,
    })),
  ),

  /** Since midnight in the delivery zone. */
  traffic: reading.query(({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { timeZone, clockOffsetMs: offsetMs } = membership
    const today = dayAt(later(parts.clock.now(), offsetMs), timeZone)
    return listTraffic(figures, workspaceId, { since: beginOf(today, timeZone), offsetMs })
  }),

  /** Whether WhatsApp sends the account's webhooks to an app, and which. One call to WhatsApp. */
  subscribers: changing.input(ofAccount).mutation(async ({ ctx: { parts }, input }) => {
    await mustHave(parts.db, input)
    const account = await getAccount(parts, input.accountId)
    return parts.provider.subscribers(account).catch((error: unknown) => {
      throw providerRefusal(error, account)
    })
  }),

  connect: changing
    .input(z.object({ wabaId: given, graphUrl: given, ...credentials }))
    .mutation(async ({ ctx: { parts, actor, membership }, input }) => {
      const { workspaceId, wabaId, graphUrl } = input
      if (!mayName(graphUrl, membership, parts))
        throw refusedFields([{ path: 'graphUrl', message: says.foreignGraph({ graphUrl: GRAPH_URL }).en }])
      const known = (await listAccounts(parts.db, workspaceId)).find((account) => account.wabaId === wabaId.trim())
      const connected = await connectAccount(parts, input, (tx, accountId) =>
        audit(
          tx,
          { actor, at: parts.clock.now() },
          {
            workspaceId,
            action: known ? 'account.renewed' : 'account.connected',
            target: accountId,
            after: { wabaId: wabaId.trim(), ...(graphUrl.trim() && { graphUrl: graphUrl.trim() }) },
          },
        ),
      ).catch(atItsField)
      return { ...found(connected), known: known !== undefined, callbackUrl: callbackUrl(parts, connected.accountId) }
    }),

  /** What is left out stays as it is. */
  renew: changing
    .input(ofAccount.extend({ accessToken: given, appSecret: given, verifyToken: given }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, accountId, ...fields } }) => {
      await mustHave(parts.db, { workspaceId, accountId })
      const renewed = Object.entries(fields).filter(([, text]) => text.trim() !== '')
      if (renewed.length === 0) throw refusedFields([{ path: 'accessToken', message: says.nothingGiven.en }])
      const connected = await renewCredentials(
        parts,
        { workspaceId, accountId, ...Object.fromEntries(renewed) },
        (tx) =>
          audit(
            tx,
            { actor, at: parts.clock.now() },
            {
              workspaceId,
              action: 'account.renewed',
              target: accountId,
              after: { renewed: renewed.map(([field]) => field) },
            },
          ),
      ).catch(atItsField)
      return found(connected)
    }),

  /** Those that are being read right now, on whichever node and for whatever reason. */
  syncs: reading.query(({ ctx: { parts }, input: { workspaceId } }) => listSyncsUnderWay(parts, workspaceId)),

  /** Reads numbers and templates now. Takes as long as WhatsApp takes, and goes on when nobody waits for it. */
  sync: changing.input(ofAccount).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustHave(parts.db, input)
    const { workspaceId, accountId } = input
    const before = await describeAccount(parts.db, input)
    const synced = await syncAccount(parts, accountId, async (tx, { failure }) => {
      const { numbers, templates } = found(await describeAccount(tx, input))
      const change = failure
        ? { action: 'account.sync_failed', after: { failure } }
        : { action: 'account.synced', after: { numbers, templates } }
      await audit(tx, { actor, at: parts.clock.now() }, { workspaceId, target: accountId, ...change })
    })
    return syncResult(before, synced)
  }),

  pause: changing.input(ofSender).mutation(async ({ ctx: { parts, actor }, input: { workspaceId, senderId } }) => {
    await parts.db.transaction(async (tx) => {
      if (!(await pauseSender(tx, { workspaceId, senderId }, parts.clock.now()))) throw missing('sender')
      await audit(tx, { actor, at: parts.clock.now() }, { workspaceId, action: 'sender.paused', target: senderId })
    })
  }),

  resume: changing.input(ofSender).mutation(async ({ ctx: { parts, actor }, input: { workspaceId, senderId } }) => {
    await parts.db.transaction(async (tx) => {
      if (!(await resumeSender({ db: tx, wake: () => {} }, { workspaceId, senderId }))) throw missing('sender')
      await audit(tx, { actor, at: parts.clock.now() }, { workspaceId, action: 'sender.resumed', target: senderId })
    })
    parts.wake('submit')
  }),
})

const callbackUrl = ({ config }: Pick<Parts, 'config'>, accountId: string): string =>
  `${config.publicUrl}/whatsapp/${accountId}`

const found = ({
  accountId,
  senders,
  templates,
}: {
  accountId: string
  senders: readonly object[]
  templates: readonly object[]
}) => ({ accountId, numbers: senders.length, templates: templates.length })

/** What is wrong stands beside the field that it is wrong with. */
function atItsField(error: unknown): never {
  if (!(error instanceof AccountRefused)) throw error
  const placed = error.faults.flatMap(({ field, message }) =>
    field === null ? [] : [{ path: field, message: message.en }],
  )
  throw placed.length > 0 ? refusedFields(placed) : error
}

async function mustHave(sql: Sql, account: { workspaceId: string; accountId: string }): Promise<void> {
  if (!(await findAccount(sql, account))) throw missing('account')
}
