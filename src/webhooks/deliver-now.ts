import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS } from '../clock.ts'
import { statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import { claimOne } from './claim.ts'
import { courier } from './courier.ts'
import { finisher } from './finish.ts'
import { ATTEMPT_TIMEOUT_MS, webhookAgent } from './post.ts'

/** An attempt that another process has under way ends by its timeout; then its result must be stored. */
const PATIENCE_MS = ATTEMPT_TIMEOUT_MS + 5 * SECOND_MS
const LOOK_EVERY_MS = 100

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'held'

export type DeliveryOutcome = {
  /** `pending`: the attempt failed and there will be another. */
  status: DeliveryStatus
  httpStatus?: number
  error?: string
}

export type DeliverNowParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'config' | 'log' | 'metrics' | 'live'>

/**
 * Makes the first attempt of a delivery, or waits for the process that is making it: with a running server and without
 * one alike. Returns what came of it.
 */
export async function deliverNow(parts: DeliverNowParts, deliveryId: string): Promise<DeliveryOutcome> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    await attemptIfDue(parts, deliveryId)
    const delivery = await parts.db.row(selectDelivery, [deliveryId])
    if (!delivery) throw new Error(`there is no delivery ${deliveryId}`)
    const { status, leased, ended, httpStatus, error } = delivery
    const decided = !leased && (ended || status !== 'pending')
    if (decided || performance.now() > end)
      return { status, ...(httpStatus !== null && { httpStatus }), ...(error !== null && { error }) }
    await wait(LOOK_EVERY_MS)
  }
}

async function attemptIfDue(parts: DeliverNowParts, deliveryId: string): Promise<void> {
  const claimed = await claimOne(parts.db, deliveryId, parts.clock)
  if (!claimed) return
  const agent = webhookAgent({ allowPrivate: parts.config.allowPrivateWebhooks })
  try {
    const carry = courier(parts, agent, new AbortController().signal)
    await finisher(parts)(await carry(claimed, claimed))
  } finally {
    await agent.destroy()
  }
}

const selectDelivery = statement<{
  status: DeliveryStatus
  leased: boolean
  ended: boolean
  httpStatus: number | null
  error: string | null
}>(
  'select_delivery_outcome',
  `select delivery.status, delivery.lease is not null as leased, attempt.delivery_id is not null as ended,
     attempt.http_status as "httpStatus", attempt.error
   from webhook_deliveries delivery
   left join webhook_attempts attempt on attempt.workspace_id = delivery.workspace_id
     and attempt.delivery_id = delivery.id and attempt.attempt = delivery.attempts
   where delivery.id = $1`,
)
