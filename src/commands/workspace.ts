import { changeQuota, listQuotas, type QuotaKind } from '../workspaces/quota.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { command } from './command.ts'
import { flag, name, optional, units, workspace } from './inputs.ts'

export const workspaceCreate = command({
  words: 'workspace create',
  example: '--name "My shop"',
  summary: 'Create a workspace.',
  options: {
    name: name('The name of the workspace.'),
    sandbox: flag('A workspace for tests, whose clock can be moved. Default: a live workspace.'),
  },
  run: (parts, { name, sandbox }, record) =>
    createWorkspace(parts, { name, sandbox }, (tx, workspaceId) =>
      record(tx, { workspaceId, target: name, after: { name, sandbox } }),
    ),
  format: ({ workspaceId }) => `Workspace ${workspaceId} is created.`,
})

const QUOTA_OF_OPTION = {
  otp: 'otp',
  codConfirmations: 'cod_confirmation',
  codRefusals: 'cod_refusal',
} as const satisfies Record<string, QuotaKind>

export const workspaceAllowance = command({
  words: 'workspace allowance',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --otp 50000',
  summary: 'Set the monthly quotas of a workspace, or show them if none is given.',
  options: {
    workspace,
    otp: optional(units('One-time codes per month. Default: unchanged.')),
    codConfirmations: optional(units('Order confirmations per month. Default: unchanged.')),
    codRefusals: optional(units('Refusal checks per month. Default: unchanged.')),
  },
  async run({ db }, { workspace: workspaceId, ...quotas }, record) {
    await db.transaction(async (tx) => {
      const before: Record<string, number> = {}
      for (const [option, kind] of Object.entries(QUOTA_OF_OPTION)) {
        const monthlyUnits = quotas[option as keyof typeof QUOTA_OF_OPTION]
        if (monthlyUnits === undefined) continue
        before[option] = await changeQuota(tx, { workspaceId, kind, monthlyUnits })
      }
      if (Object.keys(before).length > 0) await record(tx, { workspaceId, target: 'quotas', before, after: quotas })
    })
    const { otp, cod_confirmation: codConfirmations, cod_refusal: codRefusals } = await listQuotas(db, workspaceId)
    return { workspaceId, otp, codConfirmations, codRefusals }
  },
  format: ({ workspaceId, otp, codConfirmations, codRefusals }) =>
    `Monthly quotas of workspace ${workspaceId}: ${otp} one-time codes, ${codConfirmations} confirmations, ${codRefusals} refusal checks.`,
})
