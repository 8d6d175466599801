import { SECOND_MS } from '../clock.ts'
import type { Parts } from '../parts.ts'
import { type TwinNumber, listNumbersOnThisMachine } from '../senders/twin-numbers.ts'

/** The WhatsApp twin behind a workspace, and which of the twin's numbers are the workspace's. */
export type Twin = { origin: string; numbers: ReadonlyMap<string, TwinNumber> }

const PROBE_TIMEOUT_MS = 2 * SECOND_MS
const KNOWN_FOR_MS = 15 * SECOND_MS
const KNOWN_MOST = 100

/** Whether something answered as a twin, by its origin. */
const known = new Map<string, { isTwin: boolean; askedAt: number }>()

/** Undefined: none of the workspace's accounts is on a twin that answers. Of several twins the first is taken. */
export async function findTwin({ db }: Pick<Parts, 'db'>, workspaceId: string): Promise<Twin | undefined> {
  const rows = await listNumbersOnThisMachine(db, workspaceId)
  const byOrigin = Map.groupBy(rows, ({ graphUrl }) => URL.parse(graphUrl)?.origin ?? '')
  for (const [origin, numbers] of byOrigin) {
    if (origin !== '' && (await isTwin(origin))) {
      return { origin, numbers: new Map(numbers.map((number) => [number.phoneNumberId, number])) }
    }
  }
  return undefined
}

async function isTwin(origin: string): Promise<boolean> {
  const found = known.get(origin)
  if (found && performance.now() - found.askedAt < KNOWN_FOR_MS) return found.isTwin
  const is = await answersAsTwin(origin)
  known.delete(origin)
  known.set(origin, { isTwin: is, askedAt: performance.now() })
  const [oldest] = known.keys()
  if (known.size > KNOWN_MOST && oldest !== undefined) known.delete(oldest)
  return is
}

async function answersAsTwin(origin: string): Promise<boolean> {
  const answer = await askTwin(origin, '/', { timeoutMs: PROBE_TIMEOUT_MS }).catch(() => undefined)
  return answer?.status === 200 && isRecord(answer.body) && isRecord(answer.body['control'])
    ? 'GET /control/live' in answer.body['control']
    : false
}

export type TwinAnswer = { status: number; body: unknown }

/** A chat of a thousand long messages. */
const ANSWER_BYTES_MOST = 8 * 1024 * 1024

/** Throws when the twin does not answer in time, answers with no JSON, or with more than anybody asked for. */
export async function askTwin(
  origin: string,
  path: string,
  { body, timeoutMs }: { body?: object; timeoutMs: number },
): Promise<TwinAnswer> {
  const response = await fetch(`${origin}${path}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > ANSWER_BYTES_MOST) throw new Error(`the twin answered with more than ${ANSWER_BYTES_MOST} bytes`)
  }
  return { status: response.status, body: JSON.parse(text) as unknown }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
