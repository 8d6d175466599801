import type { CodedText } from '../../../locales/text.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS } from '../../lib/clock.ts'
import { statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type DeliveryStatus, claimDelivery } from './claim.ts'
import { createDeliverer } from './attempt.ts'
import { createFinisher } from './finish.ts'
import { ATTEMPT_TIMEOUT_MS, webhookAgent } from './post.ts'

/** Another process may have the attempt in flight: it ends by its timeout, and its result must be stored. */
const WAIT_MS = ATTEMPT_TIMEOUT_MS + 5 * SECOND_MS
const POLL_MS = 100

export type DeliveryOutcome = {
  /** `pending`: the attempt failed and there will be another. */
  status: DeliveryStatus
  httpStatus?: number
  error?: CodedText
}

type DeliverNowParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'config' | 'log' | 'metrics' | 'live'>

/**
 * Makes the first attempt of a delivery, or waits for the process that is making it: it works with and without a running
 * server.
 */
export async function deliverNow(parts: DeliverNowParts, deliveryId: string): Promise<DeliveryOutcome> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    await attemptIfDue(parts, deliveryId)
    const delivery = await parts.db.row(selectDelivery, [deliveryId])
    if (!delivery) throw new Error(`there is no delivery ${deliveryId}`)
    const { status, leased, ended, httpStatus, error } = delivery
    const isDecided = !leased && (ended || status !== 'pending')
    if (isDecided || performance.now() > end)
      return { status, ...(httpStatus !== null && { httpStatus }), ...(error !== null && { error }) }
    await wait(POLL_MS)
  }
}

async function attemptIfDue(parts: DeliverNowParts, deliveryId: string): Promise<void> {
  const claimed = await claimDelivery(parts.db, deliveryId, parts.clock)
  if (!claimed) return
  const agent = webhookAgent({ allowPrivate: parts.config.allowPrivateWebhooks })
  try {
    const deliver = createDeliverer(parts, agent, new AbortController().signal)
    await createFinisher(parts)(await deliver(claimed, claimed))
  } finally {
    agent.destroy()
  }
}

const selectDelivery = statement<{
  status: DeliveryStatus
  leased: boolean
  ended: boolean
  httpStatus: number | null
  error: CodedText | null
}>(
  'select_delivery_outcome',
  `select delivery.status, delivery.lease is not null as leased, attempt.delivery_id is not null as ended,
     attempt.http_status as "httpStatus", attempt.error
   from webhook_deliveries delivery
   left join webhook_attempts attempt on attempt.workspace_id = delivery.workspace_id
     and attempt.delivery_id = delivery.id and attempt.attempt = delivery.attempts
   where delivery.id = $1`,
)
