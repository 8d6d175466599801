import { InvalidWebhookError, type WebhookEvent, verifyWebhook } from '@doorcode/client'

const { DOORCODE_WEBHOOK_SECRET = '' } = process.env

export async function POST(request: Request): Promise<Response> {
  let event: WebhookEvent
  try {
    // request.text() is what was signed. With request.json() it would be lost.
    event = verifyWebhook(await request.text(), request.headers, DOORCODE_WEBHOOK_SECRET)
  } catch (error) {
    if (!(error instanceof InvalidWebhookError)) throw error
    return new Response(error.message, { status: 400 })
  }
  if (event.type === 'message.sent' || event.type === 'message.failed') console.log(event.type, event.data.messageId)
  return new Response(null, { status: 204 })
}
