import { createHmac } from 'node:crypto'
import { APP_SECRET, type Arrival } from './provider.ts'
import { type Shop, post } from './shop.ts'

/** The complete HTTP request of the signed webhook of a customer who taps the first button of a template. */
export function tapWebhook(
  shop: Shop,
  { recipient, providerMessageId, firstPayload }: Pick<Arrival, 'recipient' | 'providerMessageId' | 'firstPayload'>,
): string {
  const customer = recipient.slice(1)
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
            },
          },
        ],
      },
    ],
  })
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return post(shop.webhookPath, body, `x-hub-signature-256: sha256=${signature}\r\n`)
}
