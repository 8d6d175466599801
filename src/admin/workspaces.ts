import { z } from 'zod'
import { later } from '../lib/clock.ts'
import { createOwnWorkspace, workspaceActions } from './actions/workspaces.ts'
import { listQuarantined } from '../operations/doctor/work/quarantine.ts'
import { asIssue } from '../../locales/text.ts'
import { listStoppedTemplates, listTemplateNames } from '../accounts/templates/stored.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import { MAX_MONTHLY_UNITS, quotaMonth } from '../workspaces/quota.ts'
import { findGuessing } from '../otp/verifications/check-counts.ts'
import { listPumpedPrefixes } from '../otp/verifications/pumped.ts'
import { attentionItems } from '../operations/doctor/attention.ts'
import { findFirstSteps } from './first-steps.ts'
import { listKeys } from '../workspaces/keys/manage-keys.ts'
import { listUsage } from '../charts/usage.ts'
import { getWorkspace } from '../workspaces/workspaces.ts'
import { CallError } from './rpc/errors.ts'
import { mayCreateWorkspace } from './auth/members.ts'
import { displayName } from './inputs.ts'
import { callsOf, readCall, router, signedInCall } from './rpc/trpc.ts'
import { listSenders } from '../accounts/senders.ts'
import { listAccounts } from '../accounts/accounts.ts'

export const workspaces = router({
  ...callsOf(workspaceActions),

  mayCreate: signedInCall.query(({ ctx: { parts, person } }) => mayCreateWorkspace(parts.db, person.userId)),

  create: signedInCall
    .input(z.object({ name: displayName, sandbox: z.boolean(asIssue({ code: 'admin.kind' })) }))
    .mutation(async ({ ctx: { parts, person, operator }, input }) => {
      if (!(await mayCreateWorkspace(parts.db, person.userId))) {
        throw new CallError('FORBIDDEN', { code: 'admin.owners_only' })
      }
      return createOwnWorkspace(operator, input)
    }),

  get: readCall.query(({ ctx: { parts }, input: { workspaceId } }) => getWorkspace(parts.db, workspaceId)),

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
    const [accounts, senders, templates, endpoints, keys, usage, quarantined, pumped, guessing] = await Promise.all([
      listAccounts(parts.db, workspaceId),
      listSenders(parts.db, workspaceId),
      listStoppedTemplates(parts.db, workspaceId),
      listEndpoints(parts.db, workspaceId),
      listKeys(parts.db, workspaceId),
      listUsage(figures, { workspaceId, now: later(now, clockOffsetMs), clockOffsetMs }),
      listQuarantined(parts.db, workspaceId),
      listPumpedPrefixes(figures, workspaceId, now),
      findGuessing(parts.db, workspaceId, now),
    ])
    const facts = { accounts, senders, templates, endpoints, keys, usage, pumped, guessing, now }
    return attentionItems({ ...facts, quarantined: quarantined.length })
  }),

  firstSteps: readCall.query(({ ctx: { parts }, input: { workspaceId } }) =>
    findFirstSteps(parts.db, workspaceId, parts.clock.now()),
  ),
})
