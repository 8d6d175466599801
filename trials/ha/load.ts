import { setTimeout as wait } from 'node:timers/promises'
import type { Customers } from '../soak/customers.ts'
import { PATHS, codeBody, idOf, orderBody } from '../soak/load.ts'
import type { Random } from '../soak/random.ts'

/** `tookMs`: from the first request to the 202, with all repetitions. */
export type Accepted = {
  kind: 'code' | 'order'
  id: string
  phone: string
  at: number
  tookMs: number
  request: Request
}

type Request = { path: string; idempotencyKey: string; body: object }

export type Load = {
  /** Answers that were not 202, by status; 0: no answer. */
  others: ReadonlyMap<number, number>
  /** Answers that no outage explains. */
  faults: readonly string[]
  /** Resolves when every request that was started has been accepted. */
  stop(): Promise<void>
  /** Sends accepted requests again with their keys: each answer must have the id of the first. Returns how many. */
  repeat(accepted: readonly Accepted[]): Promise<number>
}

const ANSWER_WITHIN_MS = 10_000
const RETRY_MS = 200
/** One order for each of so many requests; its customer answers. */
const REQUESTS_PER_ORDER = 10
const REPEATED_KEYS = 60

export type LoadOptions = {
  shop: { senderId: string; keys: [string, ...string[]] }
  nodeUrls: readonly [string, ...string[]]
  requestsPerSecond: number
  random: Random
  customers: Customers
  /** Gets each request that was accepted, in all loads of the run: their number makes keys and phone numbers unique. */
  accepted: Accepted[]
  /** The number of the first request. */
  firstNumber: number
}

/** Each caller makes one request after the other, so that requests do not pile up during an outage. */
const CALLERS = 40

/** Callers that repeat each request with its idempotency key until it is accepted, as docs/api.md tells them to. */
export function startLoad(options: LoadOptions): Load {
  const { shop, nodeUrls, requestsPerSecond, random, customers, accepted, firstNumber } = options
  const others = new Map<number, number>()
  const faults: string[] = []
  let made = firstNumber
  let stopping = false

  const begin = async (): Promise<void> => {
    const number = (made += 1)
    const kind = number % REQUESTS_PER_ORDER === 0 ? 'order' : 'code'
    const phone = `+212${kind === 'order' ? 6 : 7}${String(number).padStart(8, '0')}`
    const body = kind === 'order' ? orderBody(shop.senderId, phone, number) : codeBody(shop.senderId, phone)
    const request = { path: PATHS[kind], idempotencyKey: `ha-${number}`, body }
    if (kind === 'order') customers.expect(phone)
    const beganAt = performance.now()
    const id = await ask(request)
    if (id === undefined) return
    const at = performance.now()
    accepted.push({ kind, id, phone, at, tookMs: at - beganAt, request })
  }

  /** Returns undefined if the answer is a fault. */
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

  const post = async ({ path, idempotencyKey, body }: Request): Promise<{ status: number; text: string }> => {
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

  const intervalMs = (CALLERS * 1_000) / requestsPerSecond
  const call = async (): Promise<void> => {
    await wait(random.between(0, Math.round(intervalMs)))
    while (!stopping) {
      const beganAt = performance.now()
      await begin()
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
    async repeat(earlier) {
      const step = Math.max(1, Math.floor(earlier.length / REPEATED_KEYS))
      const chosen = earlier.filter((_, index) => index % step === 0).slice(0, REPEATED_KEYS)
      for (const { id, request } of chosen) {
        const again = await ask(request)
        if (again !== id) faults.push(`the key ${request.idempotencyKey} was accepted as ${id} and as ${again}`)
      }
      return chosen.length
    },
  }
}
