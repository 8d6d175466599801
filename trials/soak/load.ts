import { setTimeout as wait } from 'node:timers/promises'
import type { Customers } from './customers.ts'
import type { Random } from './random.ts'
import type { SoakShop } from './shop.ts'

type Request = { path: string; idempotencyKey: string; body: object }

/** `tookMs`: from the first request to the 202, with all repetitions. */
export type Accepted = {
  kind: 'order' | 'code'
  id: string
  phone: string
  at: number
  tookMs: number
  request: Request
}

export type Load = ReturnType<typeof createLoad>

const ANSWER_WITHIN_MS = 10_000
const RETRY_MS = 200
/** The share of accepted requests that are sent again with their key: the answer must have the same id. */
const REPEATED = 0.05

type LoadOptions = { shop: SoakShop; nodeUrls: readonly [string, ...string[]]; customers: Customers; random: Random }

/** A client that repeats each request with its idempotency key until it is accepted, as docs/api.md says. */
export function createLoad({ shop, nodeUrls, customers, random }: LoadOptions) {
  const accepted: Accepted[] = []
  const faults: string[] = []
  const others = new Map<number, number>()
  const run = Date.now().toString(36)
  let made = 0
  let pending = 0
  let requests = 0

  const post = async ({ path, idempotencyKey, body }: Request): Promise<{ status: number; text: string }> => {
    requests += 1
    try {
      const response = await fetch(`${random.pick(nodeUrls)}/api/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${random.pick(shop.keys)}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }

  /** Returns undefined if the response is a fault. */
  const ask = async (request: Request): Promise<string | undefined> => {
    for (;;) {
      const { status, text } = await post(request)
      if (status === 202) return idOf(text)
      others.set(status, (others.get(status) ?? 0) + 1)
      if (status !== 0 && status !== 429 && status !== 503) {
        faults.push(`${request.path} was answered with ${status}: ${text}`)
        return undefined
      }
      await wait(RETRY_MS)
    }
  }

  /** Sends an accepted request again with its key. */
  const repeat = async ({ id, request }: Accepted): Promise<void> => {
    const again = await ask(request)
    if (again !== id) faults.push(`the key ${request.idempotencyKey} was accepted as ${id} and as ${again}`)
  }

  const makeRequest = (kind: Accepted['kind']) => {
    const number = (made += 1)
    const phone = `+212${kind === 'order' ? 6 : 7}${String(number).padStart(8, '0')}`
    const body = kind === 'order' ? orderBody(shop.senderId, phone, number) : codeBody(shop.senderId, phone)
    if (kind === 'order') customers.expect(phone)
    return { phone, request: { path: PATHS[kind], idempotencyKey: `${run}-${number}`, body } }
  }

  return {
    accepted,
    /** Counts answers that were not 202, by status; 0: no answer. */
    others,
    /** Faults that no outage explains: an answer that is neither 202, 429 nor 503, or another id for the same key. */
    faults,
    repeat,
    /** Resolves when the request has been accepted, and if it is among the share that is repeated, again. */
    async begin(kind: Accepted['kind']): Promise<void> {
      pending += 1
      const { phone, request } = makeRequest(kind)
      const beganAt = performance.now()
      const id = await ask(request)
      if (id !== undefined) {
        const at = performance.now()
        const one: Accepted = { kind, id, phone, at, tookMs: at - beganAt, request }
        accepted.push(one)
        if (random.next() < REPEATED) await repeat(one)
      }
      pending -= 1
    },
    pending: () => pending,
    counts: () => ({
      requests,
      failed: [...others.values()].reduce((sum, count) => sum + count, 0),
      longestToAcceptMs: accepted.reduce((longest, { tookMs }) => Math.max(longest, tookMs), 0),
    }),
  }
}

const PATHS = { order: '/cod-confirmations', code: '/otp/messages' } as const

const orderBody = (senderId: string, to: string, number: number) => ({
  to,
  senderId,
  template: { name: 'order_confirmation', language: 'en' },
  parameters: { body: ['Ana', String(number), '349 MAD'] },
  reference: `order-${number}`,
})

const codeBody = (senderId: string, to: string) => ({
  to,
  senderId,
  template: { name: 'login_code', language: 'en_US' },
  code: '493817',
})

function idOf(answer: string): string {
  const body = JSON.parse(answer) as { confirmationId?: string; messageId?: string }
  return body.confirmationId ?? body.messageId ?? ''
}
