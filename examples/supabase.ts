// npm install standardwebhooks ./doorcode-client-0.1.0.tgz
// Supabase's Send SMS hook as a program of your own, if Supabase cannot reach your Doorcode, or you decide more than its auth hook does.
import { createHmac } from 'node:crypto'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { InvalidWebhookError, createClient, isDoorcodeError, verifyWebhook } from '@doorcode/client'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const {
  DOORCODE_URL = '',
  DOORCODE_API_KEY = '',
  DOORCODE_WEBHOOK_SECRET = '',
  SEND_SMS_HOOK_SECRET = '', // v1,whsec_…, as the dashboard of Supabase shows it
  SENDER_ID = '',
  PORT = '8080',
} = process.env
// Supabase waits for 5 s.
const doorcode = createClient({ url: DOORCODE_URL, apiKey: DOORCODE_API_KEY, timeoutMs: 2_000, maxRetries: 1 })
const supabase = new Webhook(SEND_SMS_HOOK_SECRET.replace('v1,', ''))

/** `sms.phone`: also a number that the user has not confirmed yet. Only Supabase Auth 2.180 or later names it; `user.phone` may be another one. */
type SendSms = { user: { user_metadata?: { locale?: string } }; sms: { otp: string; phone?: string } }

/** Returns what Supabase understands: `{}`, or an error that your app gets. */
async function sendCode(body: string, headers: IncomingHttpHeaders): Promise<object> {
  const { user, sms } = supabase.verify(body, headers as Record<string, string>) as SendSms
  if (!sms.phone) return { error: { http_code: 422, message: 'Update Supabase Auth to 2.180 or later.' } }
  const to = `+${sms.phone.replace('+', '')}`
  const language = user.user_metadata?.locale?.startsWith('ar') ? 'ar' : 'en_US'
  // Each retry by Supabase has a new webhook-id, so the key is a hash of the code and its five minutes: a later code can be equal by chance. A repeat in the next five minutes is sent again.
  // Without the secret the code cannot be computed from it.
  const fiveMinutes = Math.floor(Number(headers['webhook-timestamp']) / 300)
  const content = `${to} ${sms.otp} ${fiveMinutes}`
  const idempotencyKey = createHmac('sha256', SEND_SMS_HOOK_SECRET).update(content).digest('hex')
  try {
    await doorcode.sendOtpMessage(
      {
        to,
        senderId: SENDER_ID,
        template: { name: 'login_code', language },
        code: sms.otp,
        deliverWithinSeconds: 60,
      },
      { idempotencyKey },
    )
    return {}
  } catch (error) {
    if (!isDoorcodeError(error, 'sendOtpMessage')) throw error
    return { error: { http_code: error.status, message: error.message } }
  }
}

createServer((request, response) => {
  const answer = (status: number, body?: string | object): void => {
    const json = typeof body === 'object' ? JSON.stringify(body) : body
    response.writeHead(status, typeof body === 'object' ? { 'content-type': 'application/json' } : {}).end(json)
  }
  const handle = async (): Promise<void> => {
    const body = await text(request)
    if (request.url === '/send-sms') return answer(200, await sendCode(body, request.headers))
    if (request.url !== '/webhooks') return answer(404)
    const event = verifyWebhook(body, request.headers, DOORCODE_WEBHOOK_SECRET)
    if (event.type === 'message.sent' || event.type === 'message.failed' || event.type === 'message.undelivered')
      console.log(event.type, event.data.messageId)
    answer(204)
  }
  handle().catch((error: unknown) => {
    if (error instanceof WebhookVerificationError) return answer(401, error.message)
    if (error instanceof InvalidWebhookError) return answer(400, error.message)
    console.error(error)
    response.setHeader('retry-after', 1) // then Supabase tries again
    answer(503)
  })
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
