import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { REQUESTS_PER_WINDOW, WINDOW_MS } from '../../src/lib/http/rate-limit.ts'
import type { Answer } from './requester.ts'
import { waitFor } from './wait-for.ts'
import type { World } from './world.ts'

const MAX_TRIES = 10
/** No message has this id. */
export const MISSING = '/api/v1/otp/messages/00000000-0000-4000-8000-000000000000'
const KEY_ENDS_WITHIN_MS = 1_000

/** The codes in the order of docs/api.md#order-of-checks. */
export async function inDocumentedOrder(codes: readonly string[]): Promise<string[]> {
  const text = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const [, checks = ''] = text.split(/<!-- \/?checks -->/)
  return Array.from(checks.matchAll(/`([A-Z_]+)`/g), ([, code = '']) => code).filter((code) => codes.includes(code))
}

/**
 * The response to a request that exceeds its key's rate limit. Repeated if the machine was too slow to exceed it: then requests of
 * an earlier try may have taken part of the window, and left it before the last request of this try.
 */
export async function requestOverRateLimit(
  world: World,
  { key, path }: { key: string; path: string },
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const startedAt = performance.now()
    const before = await Promise.all(
      Array.from({ length: REQUESTS_PER_WINDOW }, () => world.request('GET', path, { key })),
    )
    const answer = await send()
    const isOver = performance.now() - startedAt < WINDOW_MS && before.every(({ status }) => status !== 429)
    if (isOver || answer.status === 429) return answer
  }
  return assert.fail(`${REQUESTS_PER_WINDOW + 1} requests took longer than ${WINDOW_MS} ms, ${MAX_TRIES} times`)
}

/** The status of a request with this key: 404 if the key is accepted. */
export const statusOfKey = async (world: World, key: string, url = world.first.url): Promise<number> =>
  (await world.request('GET', MISSING, { key, url })).status

/** No request that is sent a second from now or later is accepted, on any of the nodes. */
export async function assertKeyEnds(world: World, key: string, urls: readonly string[]): Promise<void> {
  const endedAt = performance.now()
  for (const url of urls) {
    await waitFor('the key to be rejected', async () => {
      const sentAt = performance.now()
      if ((await statusOfKey(world, key, url)) === 401) return true
      assert.ok(sentAt - endedAt < KEY_ENDS_WITHIN_MS, 'the key still works after a second')
      return false
    })
  }
}
