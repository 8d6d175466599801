import { createHmac } from 'node:crypto'
import { APP_SECRET, type Arrival } from './provider.ts'
import { type Shop, post } from './shop.ts'

export type Status = {
  providerMessageId: string
  outcome: 'sent' | 'delivered' | 'read'
  /** E.164 */
  recipient: string
  /** Our message id as it travels with the message; the provider gives it back with each status. */
  callbackData: string
}

export function statusWebhook(shop: Shop, statuses: readonly Status[]): string {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return signedWebhook(shop, {
    statuses: statuses.map(({ providerMessageId, outcome, recipient, callbackData }) => ({
      id: providerMessageId,
      status: outcome,
      timestamp,
      recipient_id: recipient.slice(1),
      biz_opaque_callback_data: callbackData,
      pricing: { billable: true, pricing_model: 'PMP', category: 'authentication', type: 'regular' },
    })),
  })
}

/** A customer taps the first button of a template. */
export function tapWebhook(
  shop: Shop,
  { recipient, providerMessageId, firstPayload }: Pick<Arrival, 'recipient' | 'providerMessageId' | 'firstPayload'>,
): string {
  const customer = recipient.slice(1)
  return signedWebhook(shop, {
    contacts: [{ profile: { name: 'A customer' }, wa_id: customer }],
    messages: [
      {
        from: customer,
        id: `${providerMessageId}.tap`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'button',
        context: { from: '15550000000', id: providerMessageId },
        button: { payload: firstPayload, text: 'Confirm' },
      },
    ],
  })
}

/** The complete HTTP request of a signed webhook as the provider posts it. */
function signedWebhook(shop: Shop, value: object): string {
  const metadata = { display_phone_number: '15550000000', phone_number_id: shop.phoneNumberId }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: shop.phoneNumberId.slice(0, -1),
        changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }],
      },
    ],
  })
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return post(shop.webhookPath, body, `x-hub-signature-256: sha256=${signature}\r\n`)
}
