// npm install ./doorcode-client-0.1.0.tgz
import { createClient, isDoorcodeError } from '@doorcode/client'

const { DOORCODE_URL = '', DOORCODE_API_KEY = '', SENDER_ID = '' } = process.env

export async function POST(request: Request): Promise<Response> {
  const doorcode = createClient({ url: DOORCODE_URL, apiKey: DOORCODE_API_KEY })
  const { phone } = (await request.json()) as { phone: string }
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const code = String(random % 1_000_000).padStart(6, '0')
  // Keep a hash of the code with an expiry, to compare with what the customer types.
  const template = { name: 'login_code', language: 'en_US' }
  try {
    const { messageId } = await doorcode.sendOtpMessage({ to: phone, senderId: SENDER_ID, template, code })
    return Response.json({ messageId }, { status: 202 })
  } catch (error) {
    if (!isDoorcodeError(error, 'sendOtpMessage') || error.code !== 'DEVELOPER_INVALID_INPUT') throw error
    return Response.json({ faults: error.faults }, { status: 422 })
  }
}
