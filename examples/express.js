// npm install express ./doorcode-client-0.1.0.tgz
import { createClient, isDoorcodeError, verifyWebhook } from '@doorcode/client'
import express from 'express'

const { DOORCODE_URL, DOORCODE_API_KEY, DOORCODE_WEBHOOK_SECRET, SENDER_ID, PORT = '8080' } = process.env
const doorcode = createClient({ url: DOORCODE_URL, apiKey: DOORCODE_API_KEY })
const app = express()

app.post('/login', express.json(), async (request, response) => {
  const code = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000).padStart(6, '0')
  // Keep a hash of the code with an expiry, to compare with what the customer types.
  const template = { name: 'login_code', language: 'en_US' }
  try {
    const { messageId } = await doorcode.sendOtpMessage({ to: request.body.phone, senderId: SENDER_ID, template, code })
    response.status(202).json({ messageId })
  } catch (error) {
    if (!isDoorcodeError(error, 'sendOtpMessage') || error.code !== 'DEVELOPER_INVALID_INPUT') throw error
    response.status(422).json({ faults: error.faults })
  }
})

// express.raw leaves the bytes as they were signed. With express.json they would be lost.
app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  let event
  try {
    event = verifyWebhook(request.body, request.headers, DOORCODE_WEBHOOK_SECRET)
  } catch (error) {
    return response.status(400).send(error.message)
  }
  console.log(event.type, event.data.messageId ?? '')
  response.status(204).end()
})

app.listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
