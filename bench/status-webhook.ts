import { createHmac } from 'node:crypto'
import { APP_SECRET } from './provider.ts'
import { type Shop, post } from './shop.ts'

export type Status = {
  providerMessageId: string
  outcome: 'sent' | 'delivered' | 'read'
  /** E.164 */
  recipient: string
  /** Our message id as it travels with the message; the provider gives it back with each status. */
  callbackData: string
}

/** The complete HTTP request of a signed webhook as the provider posts it. */
export function statusWebhook(shop: Shop, statuses: readonly Status[]): string {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: shop.phoneNumberId.slice(0, -1),
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550000000', phone_number_id: shop.phoneNumberId },
              statuses: statuses.map(({ providerMessageId, outcome, recipient, callbackData }) => ({
                id: providerMessageId,
                status: outcome,
                timestamp,
                recipient_id: recipient.slice(1),
                biz_opaque_callback_data: callbackData,
                pricing: { billable: true, pricing_model: 'PMP', category: 'authentication', type: 'regular' },
              })),
            },
          },
        ],
      },
    ],
  })
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return post(shop.webhookPath, body, `x-hub-signature-256: sha256=${signature}\r\n`)
}
