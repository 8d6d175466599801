import { z } from 'zod'
import { later } from '../clock.ts'
import { must } from '../http/fields.ts'
import { listAccounts, listSenderOverviews } from '../senders/overview.ts'
import { keptSentences } from '../sentences.ts'
import { listStoppedTemplates } from '../templates/first-usable.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import { MONTHLY_UNITS_MOST, changeAllowance } from '../workspaces/allowances.ts'
import { attentionOf } from '../workspaces/attention.ts'
import { findFirstSteps } from '../workspaces/first-steps.ts'
import { listKeys } from '../workspaces/list-keys.ts'
import { QUOTA_KINDS, quotaMonth } from '../workspaces/quota.ts'
import { listUsage } from '../workspaces/usage.ts'
import { createWorkspace, getWorkspace, renameWorkspace } from '../workspaces/workspaces.ts'
import { audit } from './audit.ts'
import { CallRefused } from './call-refused.ts'
import { mayFound } from './founding.ts'
import { addMember } from './members.ts'
import { nameOfThing } from './name.ts'
import { changing, owning, reading, router, signedIn } from './trpc.ts'

const says = keptSentences({
  kind: { en: 'choose live or sandbox', ar: 'اختر فعلية أو تجريبية' },
  ownersOnly: {
    en: 'Whoever owns a workspace can make another one. Ask an owner to make it and to invite you.',
    ar: 'من يملك مساحة عمل يستطيع إنشاء أخرى. اطلب من أحد المالكين أن ينشئها ويدعوك إليها.',
  },
  negative: { en: 'must be 0 or more', ar: 'يجب أن يكون 0 أو أكثر' },
  tooMany: { en: 'must be at most {most}', ar: 'الحد الأقصى {most}' },
})

export const workspaces = router({
  /** Whether this person may make another one. */
  mayCreate: signedIn.query(({ ctx: { parts, person } }) => mayFound(parts.db, person.userId)),

  create: signedIn
    .input(z.object({ name: nameOfThing, sandbox: z.boolean(says.kind.en) }))
    .mutation(async ({ ctx: { parts, person, actor }, input: { name, sandbox } }) => {
      if (!(await mayFound(parts.db, person.userId))) {
        throw new CallRefused('FORBIDDEN', says.ownersOnly)
      }
      return createWorkspace(parts, { name, sandbox }, async (tx, workspaceId) => {
        const at = parts.clock.now()
        await addMember(tx, { workspaceId, userId: person.userId, role: 'owner', at })
        const change = { workspaceId, action: 'workspace.created', target: name, after: { name, sandbox } }
        await audit(tx, { actor, at }, change)
      })
    }),

  get: reading.query(({ ctx: { parts }, input: { workspaceId } }) => getWorkspace(parts.db, workspaceId)),

  rename: changing
    .input(z.object({ name: nameOfThing }))
    .mutation(({ ctx: { parts, membership, actor }, input: { workspaceId, name } }) =>
      parts.db.transaction(async (tx) => {
        if (name === membership.name) return
        await renameWorkspace(tx, { workspaceId, name })
        const { name: before } = membership
        const change = {
          workspaceId,
          action: 'workspace.renamed',
          target: name,
          before: { name: before },
          after: { name },
        }
        await audit(tx, { actor, at: parts.clock.now() }, change)
      }),
    ),

  /** The allowances of the workspace's present month, which is one of UTC, and how they are used. */
  usage: reading.query(async ({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { clockOffsetMs } = membership
    const now = later(parts.clock.now(), clockOffsetMs)
    return {
      month: quotaMonth(now),
      unitsMost: MONTHLY_UNITS_MOST,
      kinds: await listUsage(figures, { workspaceId, now, clockOffsetMs }),
    }
  }),

  /** What somebody should look at, the worst first. */
  attention: reading.query(async ({ ctx: { parts, figures, membership }, input: { workspaceId } }) => {
    const { clockOffsetMs } = membership
    const now = parts.clock.now()
    const [accounts, senders, templates, endpoints, keys, usage] = await Promise.all([
      listAccounts(parts.db, workspaceId),
      listSenderOverviews(parts.db, workspaceId, now),
      listStoppedTemplates(parts.db, workspaceId),
      listEndpoints(parts.db, workspaceId),
      listKeys(parts.db, workspaceId),
      listUsage(figures, { workspaceId, now: later(now, clockOffsetMs), clockOffsetMs }),
    ])
    return attentionOf({ accounts, senders, templates, endpoints, keys, usage, now })
  }),

  /** What is still to be set up before the first message. */
  firstSteps: reading.query(({ ctx: { parts }, input: { workspaceId } }) =>
    findFirstSteps(parts.db, workspaceId, parts.clock.now()),
  ),

  /** Holds from the next request on. */
  setAllowance: owning
    .input(
      z.object({
        kind: z.enum(QUOTA_KINDS),
        monthlyUnits: z
          .int(must.beWhole.en)
          .min(0, says.negative.en)
          .max(MONTHLY_UNITS_MOST, says.tooMany({ most: MONTHLY_UNITS_MOST }).en),
      }),
    )
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, kind, monthlyUnits } }) =>
      parts.db.transaction(async (tx) => {
        const before = await changeAllowance(tx, { workspaceId, kind, monthlyUnits })
        if (before === monthlyUnits) return
        const [was, is] = [{ monthlyUnits: before }, { monthlyUnits }]
        const change = { workspaceId, action: 'allowance.changed', target: kind, before: was, after: is }
        await audit(tx, { actor, at: parts.clock.now() }, change)
      }),
    ),
})
