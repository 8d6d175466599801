import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const TEMPLATE = { name: 'login_code', language: 'en_US' }
export const CONFIRMATION_TEMPLATE = { name: 'order_confirmation', language: 'en_US' }
export const APP_SECRET = 'bench-app-secret'

/** A send as it arrived. */
export type Arrival = {
  /** When its first bytes were read, on the clock of `performance`. */
  at: number
  phoneNumberId: string
  recipient: string
  providerMessageId: string
  callbackData: string
  /** What comes back when the customer taps the first button; undefined when there is none to tap. */
  firstPayload: string | undefined
}

export type BenchProvider = {
  url: string
  port: number
  onSend(listener: (arrival: Arrival) => void): void
  stop(): Promise<void>
}

/** Only what connect and send need of the Graph API: it must cost almost nothing. */
export async function startProvider(): Promise<BenchProvider> {
  let sends = 0
  let listener: (arrival: Arrival) => void = () => {}

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now()
    const [, , node = '', edge = ''] = (request.url ?? '').split(/[/?]/)
    const body = await textOf(request)
    if (edge !== 'messages') return reply(response, listings[edge]?.(node) ?? { success: true })
    const message = JSON.parse(body) as Message
    sends += 1
    const providerMessageId = `wamid.${node}.${process.pid}.${sends}`
    reply(response, {
      messaging_product: 'whatsapp',
      contacts: [{ input: message.to, wa_id: message.to.slice(1) }],
      messages: [{ id: providerMessageId, message_status: 'accepted' }],
    })
    const callbackData = message.biz_opaque_callback_data
    const firstPayload = payloadOf(message)
    listener({ at, phoneNumberId: node, recipient: message.to, providerMessageId, callbackData, firstPayload })
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    onSend(callback) {
      listener = callback
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Message = {
  to: string
  biz_opaque_callback_data: string
  template?: { components: { sub_type?: string; parameters: { payload?: string }[] }[] }
}

const payloadOf = ({ template }: Message): string | undefined =>
  template?.components.find(({ sub_type: type }) => type === 'quick_reply')?.parameters[0]?.payload

const listings: Readonly<Record<string, (account: string) => object>> = {
  phone_numbers: (account) => ({
    data: [
      {
        id: `${account}1`,
        display_phone_number: `+1 555-${account.slice(-7)}`,
        verified_name: 'Bench',
        quality_rating: 'GREEN',
        status: 'CONNECTED',
        throughput: { level: 'HIGH' },
      },
    ],
  }),
  message_templates: (account) => ({
    data: [
      {
        ...TEMPLATE,
        id: `${account}2`,
        status: 'APPROVED',
        category: 'AUTHENTICATION',
        parameter_format: 'POSITIONAL',
        components: [
          { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
          { type: 'FOOTER', text: 'This code expires in 10 minutes.', code_expiration_minutes: 10 },
          {
            type: 'BUTTONS',
            buttons: [
              {
                type: 'URL',
                text: 'Copy code',
                url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
              },
            ],
          },
        ],
      },
      {
        ...CONFIRMATION_TEMPLATE,
        id: `${account}3`,
        status: 'APPROVED',
        category: 'UTILITY',
        parameter_format: 'POSITIONAL',
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'Your order' },
          { type: 'BODY', text: 'Order {{1}} for {{2}} is ready to be shipped. Is everything right?' },
          {
            type: 'BUTTONS',
            buttons: ['Confirm', 'Cancel', 'Change time'].map((text) => ({ type: 'QUICK_REPLY', text })),
          },
        ],
      },
    ],
  }),
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += String(chunk)
  return text
}

function reply(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}
