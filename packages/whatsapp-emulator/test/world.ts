import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { Agent, request } from 'undici'
import { type AccountSeed, type EmulatorOptions, DEMO, demoAccount, sign, startEmulator } from '../src/index.ts'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Envelope, InboundMessage, StatusObject } from '../src/webhooks/webhook-body.ts'

/** The small language of the emulator's own tests: an emulator with a callback that listens, and a clock that is moved. */

export type Post = { raw: string; signature: string; signed: boolean; body: Envelope }
export type Answer = { status: number; text: string; body: unknown; at: (...path: (string | number)[]) => unknown }

const NOON = Date.UTC(2026, 10, 20, 12)

export async function startWorld(t: TestContext, options: EmulatorOptions & { account?: Partial<AccountSeed> } = {}) {
  const { account, ...settings } = options
  const callback = await listen(t)
  let now = NOON
  const emulator = await startEmulator({
    speed: 0,
    batch: { windowMs: 0 },
    now: () => now,
    accounts: [demoAccount({ callbackUrl: callback.url, ...account })],
    ...settings,
  })
  const agent = new Agent()
  t.after(async () => {
    await Promise.all([emulator.close(), agent.destroy()])
  })

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    token: string | undefined = DEMO.accessToken,
  ): Promise<Answer> {
    const answer = await request(`${emulator.url}${path}`, {
      method,
      dispatcher: agent,
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const answered = parse(text)
    return { status: answer.statusCode, text, body: answered, at: (...path) => follow(answered, path) }
  }

  const send = (body: object, numberId: string = DEMO.standardNumberId): Promise<Answer> =>
    call('POST', `/v25.0/${numberId}/messages`, { messaging_product: 'whatsapp', to: CUSTOMER, ...body })

  return {
    emulator,
    callback,
    call,
    send,
    sendOtp: (changes: object = {}, code = '493817') => send({ ...otp(code), ...changes }),
    sendOrder: (changes: object = {}) => send({ ...order(), ...changes }),
    pass: (ms: number): void => {
      now += ms
    },
    /** The statuses that the callback got so far, by name, in order of arrival. */
    statusNames: (): string[] => statusesOf(callback.posts).map((status) => status.status),
    statuses: (): StatusObject[] => statusesOf(callback.posts),
    inboundMessages: (): InboundMessage[] => valuesOf(callback.posts).flatMap((value) => value.messages ?? []),
  }
}

export const CUSTOMER = '+34600111222'

export function otp(code = '493817', language = 'en_US') {
  return template('login_code', language, [body(code), urlButton(code)])
}

export function order(name = 'order_confirmation', values = ['Ana', 'A-1001', '25 EUR']) {
  return template(name, 'en', [body(...values)])
}

export function template(name: string, language: string, components: unknown[]) {
  return { type: 'template', template: { name, language: { code: language }, components } }
}

export function body(...values: string[]) {
  return { type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }
}

export function urlButton(text: string, index: string | number = '0') {
  return { type: 'button', sub_type: 'url', index, parameters: [{ type: 'text', text }] }
}

export function quickReply(index: number, payload: string) {
  return { type: 'button', sub_type: 'quick_reply', index: String(index), parameters: [{ type: 'payload', payload }] }
}

/** The code of a rejection, 0 for a success. */
export function codeOf(answer: Answer): number {
  return Number(answer.at('error', 'code') ?? 0)
}

export function detailsOf(answer: Answer): unknown {
  return answer.at('error', 'error_data', 'details')
}

export function statusesOf(posts: readonly Post[]): StatusObject[] {
  return valuesOf(posts).flatMap((value) => value.statuses ?? [])
}

function valuesOf(posts: readonly Post[]): { statuses?: StatusObject[]; messages?: InboundMessage[] }[] {
  return posts.flatMap((post) =>
    post.body.entry.flatMap((entry) => entry.changes.map((change) => change.value as object)),
  )
}

type Receive = (request: IncomingMessage, response: ServerResponse) => void

/** A callback. It answers 200 unless `answerWith` changes that, and the challenge when asked to prove itself. */
export async function listen(t: TestContext) {
  const posts: Post[] = []
  let answer: Receive = (_request, response) => response.end('ok')
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      prove(request, response)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const signature = String(request.headers['x-hub-signature-256'])
      const signed = signature === sign(raw, DEMO.appSecret)
      posts.push({ raw: raw.toString('latin1'), signature, signed, body: JSON.parse(raw.toString()) as Envelope })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posts,
    answerWith: (next: Receive): void => {
      answer = next
    },
    /** Each status once, then 200. */
    answerFirst: (...codes: number[]): void => {
      answer = (_request, response) => {
        response.statusCode = codes.shift() ?? 200
        response.end()
      }
    },
  }
}

function prove(request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? '/', 'http://callback')
  const right =
    searchParams.get('hub.verify_token') === DEMO.verifyToken && searchParams.get('hub.mode') === 'subscribe'
  response.statusCode = right ? 200 : 403
  response.end(right ? searchParams.get('hub.challenge') : '')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function follow(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)
}
