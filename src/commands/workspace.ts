import { changeAllowance, listAllowances } from '../workspaces/allowances.ts'
import type { QuotaKind } from '../workspaces/quota.ts'
import { createWorkspace, workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, flag, optional, required } from './command.ts'
import { name, units, uuid } from './inputs.ts'

export const workspaceCreate = command({
  words: 'workspace create',
  summary: 'Create a workspace.',
  options: { name: required(name), sandbox: flag },
  changes: true,
  run: (parts, { name, sandbox }, record) =>
    createWorkspace(parts, { name, sandbox }, (tx, workspaceId) =>
      record(tx, { workspaceId, target: name, after: { name, sandbox } }),
    ),
  tell: ({ workspaceId }) => `Workspace ${workspaceId} is created.`,
})

/** Of each option. */
const KIND_OF = {
  otp: 'otp',
  codConfirmations: 'cod_confirmation',
  codRefusals: 'cod_refusal',
} as const satisfies Record<string, QuotaKind>

export const workspaceAllowance = command({
  words: 'workspace allowance',
  summary: 'Set how many units of each kind a workspace may use in a calendar month; without options, show it.',
  options: {
    workspace: required(uuid('W')),
    otp: optional(units),
    codConfirmations: optional(units),
    codRefusals: optional(units),
  },
  changes: true,
  async run({ db }, { workspace: workspaceId, ...given }, record) {
    await workspaceMustExist(db, workspaceId)
    await db.transaction(async (tx) => {
      const before: Record<string, number> = {}
      for (const [option, kind] of Object.entries(KIND_OF)) {
        const monthlyUnits = given[option as keyof typeof KIND_OF]
        if (monthlyUnits === undefined) continue
        before[option] = await changeAllowance(tx, { workspaceId, kind, monthlyUnits })
      }
      const isSet = Object.keys(before).length > 0
      if (isSet) await record(tx, { workspaceId, target: 'allowances', before, after: given })
    })
    const now = await listAllowances(db, workspaceId)
    return { workspaceId, otp: now.otp, codConfirmations: now.cod_confirmation, codRefusals: now.cod_refusal }
  },
  tell: ({ workspaceId, otp, codConfirmations, codRefusals }) =>
    `Workspace ${workspaceId} may use each month: ${otp} one-time codes, ${codConfirmations} confirmations, ${codRefusals} refusal checks.`,
})
