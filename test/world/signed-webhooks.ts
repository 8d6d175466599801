import { createHmac } from 'node:crypto'
import type { World } from './world.ts'

export const APP_SECRET = 'demo0emulator0app0secret'
export const signature = (body: string, appSecret = APP_SECRET): string =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`

export const postStatuses = (world: World, statuses: readonly object[]): Promise<number> =>
  postValue(world, { statuses })

/** Messages of customers to a number of the account. */
export const postMessages = (
  world: World,
  messages: readonly object[],
  phoneNumberId = world.account.senders[0]?.phoneNumberId,
): Promise<number> =>
  postValue(world, { messaging_product: 'whatsapp', metadata: { phone_number_id: phoneNumberId }, messages })

const postValue = (world: World, value: object): Promise<number> =>
  postSigned(
    world,
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
    }),
  )

export async function postSigned(world: World, body: string, appSecret = APP_SECRET): Promise<number> {
  const answer = await fetch(`${world.first.url}${world.account.webhookPath}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature(body, appSecret) },
  })
  return answer.status
}
