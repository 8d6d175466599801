// npm install ./doorcode-client-0.1.0.tgz
// A shop that asks each customer to confirm a cash-on-delivery order before it ships the parcel.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { InvalidWebhookError, type WebhookEvent, createClient, verifyWebhook } from '@doorcode/client'

const {
  DOORCODE_URL = '',
  DOORCODE_API_KEY = '',
  DOORCODE_WEBHOOK_SECRET = '',
  SENDER_ID = '',
  PORT = '8080',
} = process.env
const doorcode = createClient({ url: DOORCODE_URL, apiKey: DOORCODE_API_KEY })

type Order = {
  id: string
  customer: string
  phone: string
  total: string
  state: string
  deliverOn?: string
  changedAt: string
}

/** In your shop, two tables. Change an order and remember the event's id in one transaction. */
const orders = new Map<string, Order>()
const handled = new Set<string>()

/** May be called again for the same order, for example after an error. */
async function create(given: Omit<Order, 'state' | 'changedAt'>): Promise<Order> {
  const order = orders.get(given.id) ?? { ...given, state: 'awaiting_confirmation', changedAt: '' }
  orders.set(order.id, order)
  await doorcode.createConfirmation(
    {
      to: order.phone,
      senderId: SENDER_ID,
      template: { name: 'order_confirmation', language: 'en' },
      parameters: { body: [order.customer, order.id, order.total] },
      reference: order.id,
    },
    { idempotencyKey: order.id }, // the customer gets one message, however often this is called
  )
  return order
}

function act(event: WebhookEvent): void {
  if (!event.type.startsWith('cod.') || !('reference' in event.data) || handled.has(event.id)) return
  handled.add(event.id)
  const order = orders.get(event.data.reference ?? '')
  // Events can arrive out of order, and a customer can change the answer: the newest counts.
  if (!order || event.data.occurredAt <= order.changedAt) return
  switch (event.type) {
    case 'cod.confirmed':
    case 'cod.reschedule_requested':
      order.state = 'ready_to_ship'
      break
    case 'cod.cancelled':
      order.state = 'cancelled'
      break
    case 'cod.no_response':
    case 'cod.failed':
      order.state = 'call_the_customer'
      break
    default: // refusal checks, and types of later releases
      return
  }
  order.changedAt = event.data.occurredAt
  // Clears an earlier choice that the customer dropped.
  order.deliverOn = [event.data.reschedule?.date, event.data.reschedule?.timeRange].join(' ').trim()
  console.log(event.type, order.id, order.state, order.deliverOn)
}

createServer((request, response) => {
  const answer = (status: number, body?: string | object): void => {
    response.writeHead(status).end(typeof body === 'object' ? JSON.stringify(body) : body)
  }
  const handle = async (): Promise<void> => {
    const body = await text(request)
    if (request.url === '/orders') return answer(202, await create(JSON.parse(body)))
    if (request.url !== '/webhooks') return answer(404)
    act(verifyWebhook(body, request.headers, DOORCODE_WEBHOOK_SECRET))
    answer(204)
  }
  handle().catch((error: unknown) => {
    if (error instanceof InvalidWebhookError) return answer(400, error.message)
    console.error(error)
    answer(500)
  })
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
