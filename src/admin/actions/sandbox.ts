import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import type { Parts } from '../../runtime/parts.ts'
import { MAX_ADVANCE_MS, advanceSandbox } from '../../sandbox/advance.ts'
import { type CustomerKey, listDueOfCustomer } from '../../sandbox/customer-due.ts'
import { found } from './found.ts'
import { customer } from '../phone/chats.ts'
import { openShop } from '../../sandbox/month/shop-account.ts'
import { MONTH_DAYS } from '../../sandbox/month/plan.ts'
import { getSandboxOffset } from '../../sandbox/move-clock.ts'
import { requestEmptying, requestFill } from '../../sandbox/work.ts'
import { action, commit, recordChange, workspaceOnly } from './action.ts'

/** How long a page's jump may take; a hanging endpoint would take longer. */
const MAX_JUMP_MS = 90 * SECOND_MS

const span = z.object({
  byMs: z
    .int(asIssue({ code: 'http.must_be_whole' }))
    .min(1)
    .max(MAX_ADVANCE_MS, asIssue({ code: 'admin.phone_too_long' })),
})

const timer = z.object({
  ...customer,
  confirmationId: z.uuid(),
  check: z.enum(['confirmation', 'refusal']),
  timer: z.enum(['reminder', 'deadline', 'expiry']),
})

const advanceInput = z.object({
  to: z.union([span, timer]),
  maxMs: z.int().min(1).max(MAX_JUMP_MS).default(MAX_JUMP_MS),
})

const fillInput = z.object({ days: z.int().min(1).max(MONTH_DAYS).default(MONTH_DAYS) })

export const sandboxActions = {
  /**
   * Moves the clock by a span or to a customer's timer, in many transactions, of which the first writes the audit entry. If it
   * stops early, `advancedBy` is less than `requestedMs`, and another entry says so.
   */
  advance: action('admin', advanceInput, async (operator, { workspaceId, to, maxMs }) => {
    const byMs = 'byMs' in to ? to.byMs : await msUntilDue(operator, { workspaceId, ...to })
    const clock = { workspaceId, target: workspaceId }
    const advanced = await advanceSandbox(operator, {
      workspaceId,
      byMs,
      ...(Number.isFinite(maxMs) && { signal: AbortSignal.timeout(maxMs) }),
      recordRequest: (tx) => recordChange(operator, tx, { ...clock, action: 'clock.advanced', after: { byMs } }),
    })
    const { advancedBy, now } = advanced
    if (advancedBy > 0 && advancedBy < byMs) {
      const after = { byMs: advancedBy, now }
      await recordChange(operator, operator.db, { ...clock, action: 'clock.stopped_early', after })
    }
    return { ...advanced, requestedMs: byMs }
  }),

  /** Fills an empty sandbox with the last days of a shop, in the background. */
  fill: action('admin', fillInput, async (operator, { workspaceId, days }) => {
    await getSandboxOffset(operator.db, workspaceId) // a live workspace may have an emulator, too
    await openShop(operator.db, workspaceId)
    await commit(operator, workspaceId, async (tx, record) => {
      await requestFill(tx, operator, { workspaceId, days })
      await record({ action: 'sandbox.filled', target: workspaceId, after: { days } })
    })
    operator.live.changed([workspaceId])
    operator.wake('sandbox')
  }),

  /** Removes all that a sandbox has sent and received, in the background. */
  empty: action('admin', workspaceOnly, async (operator, { workspaceId }) => {
    await commit(operator, workspaceId, async (tx, record) => {
      await requestEmptying(tx, operator, workspaceId)
      await record({ action: 'sandbox.emptied', target: workspaceId })
    })
    operator.live.changed([workspaceId])
    operator.wake('sandbox')
  }),
}

type Timer = CustomerKey & { confirmationId: string; check: string; timer: string }

async function msUntilDue({ db, clock }: Parts, to: Timer): Promise<number> {
  const due = await listDueOfCustomer(db, to)
  const timer = due.find(
    (each) => each.confirmationId === to.confirmationId && each.check === to.check && each.timer === to.timer,
  )
  const { at } = found(timer, 'due')
  return Math.min(MAX_ADVANCE_MS, Math.max(1, at.getTime() - clock.now().getTime()))
}
