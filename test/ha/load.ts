import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../soak/random.ts'

export type Accepted = { id: string; phone: string; at: number; tookMs: number }

export type Load = {
  /** Answers that were not 202, by status; 0: no answer. */
  others: ReadonlyMap<number, number>
  /** Answers that no outage explains. */
  faults: readonly string[]
  /** Resolves when every request that was started has been accepted. */
  stop(): Promise<void>
}

const ANSWER_WITHIN_MS = 10_000
const RETRY_MS = 200

export type LoadOptions = {
  shop: { senderId: string; keys: [string, ...string[]] }
  nodeUrls: readonly [string, ...string[]]
  codesPerSecond: number
  random: Random
  /** Gets each code that was accepted. */
  accepted: Accepted[]
  /** A different number for each load, so that no phone number or idempotency key is used twice. */
  round: number
}

/** Each caller requests one code after the other, so that requests do not pile up during an outage. */
const CALLERS = 40

/** Callers that repeat each request with its idempotency key until it is accepted, as docs/api.md tells them to. */
export function startLoad({ shop, nodeUrls, codesPerSecond, random, accepted, round }: LoadOptions): Load {
  const others = new Map<number, number>()
  const faults: string[] = []
  let made = 0
  let stopping = false

  const ask = async (): Promise<void> => {
    const number = (made += 1)
    const phone = `+2127${round}${String(number).padStart(7, '0')}`
    const beganAt = performance.now()
    for (;;) {
      const { status, text } = await post(`ha-${round}-${number}`, phone)
      if (status === 202) {
        const { messageId } = JSON.parse(text) as { messageId: string }
        const at = performance.now()
        accepted.push({ id: messageId, phone, at, tookMs: at - beganAt })
        return
      }
      others.set(status, (others.get(status) ?? 0) + 1)
      if (status !== 0 && status !== 429 && status !== 503) {
        faults.push(`a request for a code was answered with ${status}: ${text}`)
        return
      }
      await wait(RETRY_MS)
    }
  }

  const post = async (idempotencyKey: string, to: string): Promise<{ status: number; text: string }> => {
    try {
      const response = await fetch(`${random.pick(nodeUrls)}/api/v1/otp/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${random.pick(shop.keys)}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify({
          to,
          senderId: shop.senderId,
          template: { name: 'login_code', language: 'en_US' },
          code: '493817',
        }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }

  const intervalMs = (CALLERS * 1_000) / codesPerSecond
  const call = async (): Promise<void> => {
    await wait(random.between(0, Math.round(intervalMs)))
    while (!stopping) {
      const beganAt = performance.now()
      await ask()
      await wait(Math.max(0, intervalMs - (performance.now() - beganAt)))
    }
  }
  const calls = Array.from({ length: CALLERS }, call)
  return {
    others,
    faults,
    async stop() {
      stopping = true
      await Promise.all(calls)
    },
  }
}
