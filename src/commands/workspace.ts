import { createOwnWorkspace, workspaceActions } from '../admin/actions/workspaces.ts'
import { listQuotas, type QuotaKind } from '../workspaces/quota.ts'
import { type Workspace, listWorkspaces } from '../workspaces/workspaces.ts'
import { act, command, columns } from './command.ts'
import { argument, flag, name, optional, units, uuid, workspace } from './inputs.ts'

const workspaceCreate = command({
  words: 'workspace create',
  mayCreateDatabase: true,
  example: '--name "My shop"',
  summary: 'Create a workspace.',
  options: {
    name: name('The name of the workspace.'),
    sandbox: flag('A workspace for tests, whose clock can be moved. Default: a live workspace.'),
  },
  run: createOwnWorkspace,
  format: ({ workspaceId }) => `Workspace ${workspaceId} is created.`,
})

const QUOTA_OF_OPTION = {
  otp: 'otp',
  codConfirmations: 'cod_confirmation',
  codRefusals: 'cod_refusal',
} as const satisfies Record<string, QuotaKind>

const workspaceQuota = command({
  words: 'workspace quota',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --otp 50000',
  summary: 'Set the monthly quotas of a workspace, or show them if none is given.',
  options: {
    workspace,
    otp: optional(units('One-time codes per month. Default: unchanged.')),
    codConfirmations: optional(units('Confirmations per month. Default: unchanged.')),
    codRefusals: optional(units('Refusal checks per month. Default: unchanged.')),
  },
  async run(operator, { workspace: workspaceId, ...quotas }) {
    for (const [option, kind] of Object.entries(QUOTA_OF_OPTION)) {
      const monthlyUnits = quotas[option as keyof typeof QUOTA_OF_OPTION]
      if (monthlyUnits !== undefined)
        await act(workspaceActions.setQuota, operator, { workspaceId, kind, monthlyUnits })
    }
    const {
      otp,
      cod_confirmation: codConfirmations,
      cod_refusal: codRefusals,
    } = await listQuotas(operator.db, workspaceId)
    return { workspaceId, otp, codConfirmations, codRefusals }
  },
  format: ({ workspaceId, otp, codConfirmations, codRefusals }) =>
    `Monthly quotas of workspace ${workspaceId}: ${otp} one-time codes, ${codConfirmations} confirmations, ${codRefusals} refusal checks.`,
})

const workspaceList = command({
  words: 'workspace list',
  example: '--json',
  summary: 'List the workspaces and their ids, oldest first.',
  run: async ({ db }) => ({ workspaces: await listWorkspaces(db) }),
  format: ({ workspaces }) =>
    columns(['WORKSPACE', 'KIND', 'CREATED', 'NAME'], workspaces.map(cellsOf)) ??
    'There are no workspaces yet. Create one with “doorcode workspace create”.',
})

const cellsOf = ({ workspaceId, name, sandbox, createdAt, deletionDueAt }: Workspace): string[] => [
  workspaceId,
  sandbox ? 'sandbox' : 'live',
  createdAt.toISOString(),
  deletionDueAt ? `${name} (will be deleted at ${deletionDueAt.toISOString()})` : name,
]

const workspaceId = argument(uuid('The id of the workspace, as “doorcode workspace list” shows it.'))

const workspaceDelete = command({
  words: 'workspace delete',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --name "My shop"',
  summary:
    'Delete a workspace: a sandbox immediately, a live one after seven days. Its API keys stop working within a second.',
  options: { workspaceId, name: optional(name('The name of the workspace. Required for a live one.')) },
  async run(operator, { workspaceId, name }) {
    const { deletionDueAt } = await act(workspaceActions.requestDeletion, operator, { workspaceId, name })
    const isDeleted = deletionDueAt <= operator.clock.now()
    return { workspaceId, deletionDueAt: deletionDueAt.toISOString(), isDeleted }
  },
  format: ({ workspaceId, deletionDueAt, isDeleted }) =>
    isDeleted
      ? `Workspace ${workspaceId} is deleted. Only its audit log remains.`
      : `Workspace ${workspaceId} will be deleted at ${deletionDueAt}. Its API keys no longer work; accepted messages are still sent. To cancel: workspace restore ${workspaceId}`,
})

const workspaceRestore = command({
  words: 'workspace restore',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Cancel the deletion of a live workspace before it is due.',
  options: { workspaceId },
  async run(operator, { workspaceId }) {
    const { isCancelled } = await act(workspaceActions.cancelDeletion, operator, { workspaceId })
    return { workspaceId, restored: isCancelled }
  },
  format: ({ workspaceId, restored }) =>
    restored
      ? `Workspace ${workspaceId} is kept. Its API keys work again.`
      : `Workspace ${workspaceId} is not being deleted.`,
})

export const workspaceCommands = [workspaceCreate, workspaceList, workspaceQuota, workspaceDelete, workspaceRestore]
