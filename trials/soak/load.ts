import { setTimeout as wait } from 'node:timers/promises'
import type { Customers } from './customers.ts'
import type { Random } from './random.ts'
import type { SoakShop } from './shop.ts'

export type Accepted = { kind: 'order' | 'code'; id: string; phone: string }

export type Load = {
  /** Starts an order now, and a code with every sixth. Each request is repeated with its key until it is accepted. */
  begin(): void
  accepted: readonly Accepted[]
  pending(): number
  counts(): { requests: number; failed: number; longestToAcceptMs: number }
  /** Faults that no outage explains: an answer that is neither 202, 429 nor 503, or another id for the same key. */
  faults: readonly string[]
}

const ANSWER_WITHIN_MS = 10_000
const RETRY_MS = 300
const CODES_PER_ORDER = 1 / 6
/** The share of accepted requests that are sent again with their key: the answer must have the same id. */
const REPEATED = 0.05

type LoadOptions = { shop: SoakShop; nodeUrls: readonly [string, ...string[]]; customers: Customers; random: Random }

export function startLoad({ shop, nodeUrls, customers, random }: LoadOptions): Load {
  const accepted: Accepted[] = []
  const faults: string[] = []
  const counts = { requests: 0, failed: 0, longestToAcceptMs: 0 }
  const run = Date.now().toString(36)
  let made = 0
  let pending = 0

  const post = async (path: string, key: string, body: object): Promise<{ status: number; answer: string }> => {
    counts.requests += 1
    try {
      const response = await fetch(`${random.pick(nodeUrls)}/api/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${random.pick(shop.keys)}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      return { status: response.status, answer: await response.text() }
    } catch (error) {
      return { status: 0, answer: String(error) }
    }
  }

  const ask = async (kind: Accepted['kind'], path: string, body: { to: string }): Promise<void> => {
    const key = `${run}-${(made += 1)}`
    const beganAt = performance.now()
    pending += 1
    for (;;) {
      const { status, answer } = await post(path, key, body)
      if (status === 202) {
        counts.longestToAcceptMs = Math.max(counts.longestToAcceptMs, performance.now() - beganAt)
        const id = idOf(answer)
        accepted.push({ kind, id, phone: body.to })
        if (random.next() < REPEATED) await repeat(path, key, body, id)
        break
      }
      counts.failed += 1
      if (status !== 0 && status !== 429 && status !== 503) {
        faults.push(`${path} was answered ${status}: ${answer}`)
        break
      }
      await wait(RETRY_MS)
    }
    pending -= 1
  }

  const repeat = async (path: string, key: string, body: object, id: string): Promise<void> => {
    const { status, answer } = await post(path, key, body)
    if (status === 202 && idOf(answer) !== id)
      faults.push(`the key ${key} was accepted as ${id} and as ${idOf(answer)}`)
  }

  const order = (): void => {
    const phone = `+2126${String(made).padStart(8, '0')}`
    customers.expect(phone)
    void ask('order', PATHS.order, orderBody(shop.senderId, phone, made))
  }

  const code = (): void => {
    void ask('code', PATHS.code, codeBody(shop.senderId, `+2127${String(made).padStart(8, '0')}`))
  }

  return {
    begin() {
      order()
      if (random.next() < CODES_PER_ORDER) code()
    },
    accepted,
    pending: () => pending,
    counts: () => counts,
    faults,
  }
}

export const PATHS = { order: '/cod-confirmations', code: '/otp/messages' } as const

export const orderBody = (senderId: string, to: string, number: number) => ({
  to,
  senderId,
  template: { name: 'order_confirmation', language: 'en' },
  parameters: { body: ['Ana', String(number), '349 MAD'] },
  reference: `order-${number}`,
})

export const codeBody = (senderId: string, to: string) => ({
  to,
  senderId,
  template: { name: 'login_code', language: 'en_US' },
  code: '493817',
})

/** Of the answer to an accepted request. */
export function idOf(answer: string): string {
  const body = JSON.parse(answer) as { confirmationId?: string; messageId?: string }
  return body.confirmationId ?? body.messageId ?? ''
}
