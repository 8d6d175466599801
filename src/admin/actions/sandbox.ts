import { advanceSandbox } from '../../sandbox/advance.ts'
import { type Operator, recordChange } from './action.ts'

type Advance = {
  workspaceId: string
  byMs: number
  /** Ends the wait early. */
  signal?: AbortSignal
}

/** Moves a sandbox's clock in many transactions, of which the first writes the audit entry. If it stops early, another entry says so. */
export async function advanceClock(operator: Operator, { workspaceId, byMs, ...options }: Advance) {
  const clock = { workspaceId, target: workspaceId }
  const advanced = await advanceSandbox(operator, {
    workspaceId,
    byMs,
    ...options,
    recordRequest: (tx) => recordChange(operator, tx, { ...clock, action: 'clock.advanced', after: { byMs } }),
  })
  const { advancedBy, now } = advanced
  if (advancedBy > 0 && advancedBy < byMs)
    await recordChange(operator, operator.db, {
      ...clock,
      action: 'clock.stopped_early',
      after: { byMs: advancedBy, now },
    })
  return advanced
}
