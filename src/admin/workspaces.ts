import { z } from 'zod'
import { later } from '../lib/clock.ts'
import { listQuarantined } from './attention/quarantine.ts'
import { asIssue } from '../../locales/text.ts'
import { listStoppedTemplates, listTemplateNames } from '../accounts/templates/stored.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import { MAX_MONTHLY_UNITS, QUOTA_KINDS, changeQuota, quotaMonth } from '../workspaces/quota.ts'
import { attentionItems } from '../operations/doctor/attention.ts'
import { findFirstSteps } from './attention/first-steps.ts'
import { listKeys } from '../workspaces/keys/manage-keys.ts'
import { listUsage } from '../charts/usage.ts'
import { createWorkspace, getWorkspace, renameWorkspace } from '../workspaces/workspaces.ts'
import { CallError } from './rpc/errors.ts'
import { addMember, mayCreateWorkspace } from './auth/members.ts'
import { askDeletion, cancelDeletion } from '../workspaces/deletion.ts'
import { displayName } from './inputs.ts'
import { adminChange, ownerChange, readCall, router, signedInCall } from './rpc/trpc.ts'
import { listSenders } from '../accounts/senders.ts'
import { listAccounts } from '../accounts/accounts.ts'

/** More than any name has. */
const MAX_TYPED_NAME = 1_000

export const workspaces = router({
  mayCreate: signedInCall.query(({ ctx: { parts, person } }) => mayCreateWorkspace(parts.db, person.userId)),

  create: signedInCall
    .input(z.object({ name: displayName, sandbox: z.boolean(asIssue({ code: 'admin.kind' })) }))
    .mutation(async ({ ctx: { parts, person, record }, input: { name, sandbox } }) => {
      if (!(await mayCreateWorkspace(parts.db, person.userId))) {
        throw new CallError('FORBIDDEN', { code: 'admin.owners_only' })
      }
      return parts.db.transaction(async (tx) => {
        const { workspaceId } = await createWorkspace(tx, parts.clock, { name, sandbox })
        await addMember(tx, { workspaceId, userId: person.userId, role: 'owner', at: parts.clock.now() })
        await record(tx, { workspaceId, action: 'workspace.created', target: name, after: { name, sandbox } })
        return { workspaceId }
      })
    }),

  get: readCall.query(({ ctx: { parts }, input: { workspaceId } }) => getWorkspace(parts.db, workspaceId)),

  rename: adminChange
    .input(z.object({ name: displayName }))
    .mutation(async ({ ctx: { tx, membership, record }, input: { workspaceId, name } }) => {
      if (name === membership.name) return
      await renameWorkspace(tx, { workspaceId, name })
      const before = { name: membership.name }
      await record({ action: 'workspace.renamed', target: name, before, after: { name } })
    }),

  /** A sandbox is gone with the answer. */
  askDeletion: ownerChange
    .input(z.object({ name: z.string().max(MAX_TYPED_NAME).optional() }))
    .mutation(async ({ ctx: { parts, tx, record }, input }) => {
      const { name, deletionDueAt, isNew } = await askDeletion(tx, parts.clock, input)
      if (isNew) await record({ action: 'workspace.deletion_requested', target: name, after: { deletionDueAt } })
      return { deletionDueAt }
    }),

  cancelDeletion: ownerChange.mutation(async ({ ctx: { tx, membership, record }, input: { workspaceId } }) => {
    const isCancelled = await cancelDeletion(tx, workspaceId)
    if (isCancelled) await record({ action: 'workspace.deletion_cancelled', target: membership.name })
  }),

  /** The filters of lists and charts. */
  choices: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) => {
    const [senders, templates] = await Promise.all([
      listSenders(parts.db, workspaceId),
      listTemplateNames(parts.db, workspaceId),
    ])
    const namesOf = (some: typeof templates) => [...new Set(some.map(({ name }) => name))]
    return {
      senders: senders.map(({ senderId, phoneNumber }) => ({ senderId, phoneNumber })),
      templates: namesOf(templates),
      codTemplates: namesOf(templates.filter(({ category }) => category === 'UTILITY')),
      languages: [...new Set(templates.map(({ language }) => language))].toSorted(),
    }
  }),

  /** The quotas of the workspace's current month, in UTC, and their usage. */
  usage: readCall.query(async ({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { clockOffsetMs } = membership
    const now = later(parts.clock.now(), clockOffsetMs)
    return {
      month: quotaMonth(now),
      maxUnits: MAX_MONTHLY_UNITS,
      kinds: await listUsage(figures, { workspaceId, now, clockOffsetMs }),
    }
  }),

  attention: readCall.query(async ({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { clockOffsetMs } = membership
    const now = parts.clock.now()
    const [accounts, senders, templates, endpoints, keys, usage, quarantined] = await Promise.all([
      listAccounts(parts.db, workspaceId),
      listSenders(parts.db, workspaceId),
      listStoppedTemplates(parts.db, workspaceId),
      listEndpoints(parts.db, workspaceId),
      listKeys(parts.db, workspaceId),
      listUsage(figures, { workspaceId, now: later(now, clockOffsetMs), clockOffsetMs }),
      listQuarantined(parts.db, workspaceId),
    ])
    const facts = { accounts, senders, templates, endpoints, keys, usage, quarantined: quarantined.length }
    return attentionItems({ ...facts, now })
  }),

  firstSteps: readCall.query(({ ctx: { parts }, input: { workspaceId } }) =>
    findFirstSteps(parts.db, workspaceId, parts.clock.now()),
  ),

  /** Takes effect with the next request. */
  setQuota: ownerChange
    .input(
      z.object({
        kind: z.enum(QUOTA_KINDS),
        monthlyUnits: z
          .int(asIssue({ code: 'http.must_be_whole' }))
          .min(0, asIssue({ code: 'admin.negative' }))
          .max(MAX_MONTHLY_UNITS, asIssue({ code: 'admin.workspaces_too_many', max: MAX_MONTHLY_UNITS })),
      }),
    )
    .mutation(async ({ ctx: { tx, record }, input }) => {
      const { kind, monthlyUnits } = input
      const previous = await changeQuota(tx, input)
      if (previous === monthlyUnits) return
      const [before, after] = [{ monthlyUnits: previous }, { monthlyUnits }]
      await record({ action: 'quota.changed', target: kind, before, after })
    }),
})
