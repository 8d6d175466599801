// npm install fastify ./doorcode-client-0.1.0.tgz
import { createClient, isDoorcodeError, verifyWebhook } from '@doorcode/client'
import Fastify from 'fastify'

const { DOORCODE_URL, DOORCODE_API_KEY, DOORCODE_WEBHOOK_SECRET, SENDER_ID, PORT = '8080' } = process.env
const doorcode = createClient({ url: DOORCODE_URL, apiKey: DOORCODE_API_KEY })
const app = Fastify()

app.post('/login', async (request, reply) => {
  const code = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000).padStart(6, '0')
  // Keep a hash of the code with an expiry, to compare with what the customer types.
  const template = { name: 'login_code', language: 'en_US' }
  try {
    const { messageId } = await doorcode.sendOtpMessage({ to: request.body.phone, senderId: SENDER_ID, template, code })
    return reply.code(202).send({ messageId })
  } catch (error) {
    if (!isDoorcodeError(error, 'sendOtpMessage') || error.code !== 'DEVELOPER_INVALID_INPUT') throw error
    return reply.code(422).send({ faults: error.faults })
  }
})

// A scope of its own, in which the bytes are left as they were signed. Other routes still get parsed bodies.
app.register(async (scope) => {
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.post('/webhooks', async (request, reply) => {
    let event
    try {
      event = verifyWebhook(request.body, request.headers, DOORCODE_WEBHOOK_SECRET)
    } catch (error) {
      return reply.code(400).send(error.message)
    }
    console.log(event.type, event.data.messageId ?? '')
    return reply.code(204).send()
  })
})

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log('listening')
