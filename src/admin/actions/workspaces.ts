import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { requestDeletion, cancelDeletion } from '../../workspaces/deletion.ts'
import { MAX_MONTHLY_UNITS, QUOTA_KINDS, changeQuota } from '../../workspaces/quota.ts'
import { type NewWorkspace, createWorkspace, getWorkspace, renameWorkspace } from '../../workspaces/workspaces.ts'
import { addMember } from '../auth/members.ts'
import { displayName } from '../inputs.ts'
import { type Operator, change, commit, workspaceOnly } from './action.ts'

/** Longer than any name. */
const MAX_TYPED_NAME = 1_000

/** The only action without a workspace: it makes one, which a person then owns. */
export const createOwnWorkspace = (operator: Operator, { name, sandbox }: NewWorkspace) =>
  commit(operator, null, async (tx, record) => {
    const { workspaceId } = await createWorkspace(tx, operator.clock, { name, sandbox })
    const { userId } = operator.actor
    if (userId !== null) await addMember(tx, { workspaceId, userId, role: 'owner', at: operator.clock.now() })
    await record({ workspaceId, action: 'workspace.created', target: name, after: { name, sandbox } })
    return { workspaceId }
  })

const units = z
  .int(asIssue({ code: 'http.must_be_whole' }))
  .min(0, asIssue({ code: 'admin.negative' }))
  .max(MAX_MONTHLY_UNITS, asIssue({ code: 'admin.workspaces_too_many', max: MAX_MONTHLY_UNITS }))

export const workspaceActions = {
  rename: change('admin', z.object({ name: displayName }), async ({ tx, record }, { workspaceId, name }) => {
    const { name: former } = await getWorkspace(tx, workspaceId)
    if (name === former) return
    await renameWorkspace(tx, { workspaceId, name })
    await record({ action: 'workspace.renamed', target: name, before: { name: former }, after: { name } })
  }),

  /** A sandbox is gone when this returns. `name`: what the operator typed to confirm it. */
  requestDeletion: change(
    'owner',
    z.object({ name: z.string().max(MAX_TYPED_NAME).optional() }),
    async ({ tx, record, clock }, input) => {
      const { name, deletionDueAt, isNew } = await requestDeletion(tx, clock, input)
      if (isNew) await record({ action: 'workspace.deletion_requested', target: name, after: { deletionDueAt } })
      return { deletionDueAt }
    },
  ),

  cancelDeletion: change('owner', workspaceOnly, async ({ tx, record }, { workspaceId }) => {
    const { name } = await getWorkspace(tx, workspaceId)
    const isCancelled = await cancelDeletion(tx, workspaceId)
    if (isCancelled) await record({ action: 'workspace.deletion_cancelled', target: name })
    return { isCancelled }
  }),

  /** Takes effect with the next request. */
  setQuota: change(
    'owner',
    z.object({ kind: z.enum(QUOTA_KINDS), monthlyUnits: units }),
    async ({ tx, record }, quota) => {
      const { kind, monthlyUnits } = quota
      const before = { monthlyUnits: await changeQuota(tx, quota) }
      if (before.monthlyUnits !== monthlyUnits)
        await record({ action: 'quota.changed', target: kind, before, after: { monthlyUnits } })
    },
  ),
}
