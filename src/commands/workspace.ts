import { listAllowances, setAllowance } from '../workspaces/allowances.ts'
import type { QuotaKind } from '../workspaces/quota.ts'
import { createWorkspace, workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, flag, optional, required } from './command.ts'
import { name, units, uuid } from './inputs.ts'

export const workspaceCreate = command({
  words: 'workspace create',
  summary: 'Create a workspace.',
  options: { name: required(name), sandbox: flag },
  run: (parts, values) => createWorkspace(parts, values),
  records: ({ values: { name, sandbox }, result: { workspaceId } }) => ({
    workspaceId,
    target: name,
    after: { name, sandbox },
  }),
  tell: ({ workspaceId }) => `Workspace ${workspaceId} is created.`,
})

export const workspaceAllowance = command({
  words: 'workspace allowance',
  summary: 'Set how many units of each kind a workspace may use in a calendar month; without options, show it.',
  options: {
    workspace: required(uuid('W')),
    otp: optional(units),
    codConfirmations: optional(units),
    codRefusals: optional(units),
  },
  async run({ db }, { workspace, otp, codConfirmations, codRefusals }) {
    await workspaceMustExist(db, workspace)
    const given: [QuotaKind, number | undefined][] = [
      ['otp', otp],
      ['cod_confirmation', codConfirmations],
      ['cod_refusal', codRefusals],
    ]
    await db.transaction(async (tx) => {
      for (const [kind, monthlyUnits] of given) {
        if (monthlyUnits !== undefined) await setAllowance(tx, { workspaceId: workspace, kind, monthlyUnits })
      }
    })
    const now = await listAllowances(db, workspace)
    return {
      workspaceId: workspace,
      otp: now.otp,
      codConfirmations: now.cod_confirmation,
      codRefusals: now.cod_refusal,
    }
  },
  records({ values: { workspace, otp, codConfirmations, codRefusals } }) {
    const after = { otp, codConfirmations, codRefusals }
    const isSet = Object.values(after).some((units) => units !== undefined)
    return isSet ? { workspaceId: workspace, target: 'allowances', after } : undefined
  },
  tell: ({ workspaceId, otp, codConfirmations, codRefusals }) =>
    `Workspace ${workspaceId} may use each month: ${otp} one-time codes, ${codConfirmations} confirmations, ${codRefusals} refusal checks.`,
})
