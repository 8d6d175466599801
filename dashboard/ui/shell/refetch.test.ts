import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { createTRPCUntypedClient, httpBatchLink } from '@trpc/client'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createRefetcher, slowPolling } from './refetch.ts'

const [LIST, CHOICES, SESSION] = ['messages.list', 'workspaces.choices', 'session.current']

test('a slow query waits nine times its duration, and delays no other', async (t) => {
  const { refetcher, requests, hold, release, advance } = startPage(t)
  hold(LIST)
  refetcher.call()
  await advance(3_000)
  assert.deepEqual(requests(), [[LIST, CHOICES]], 'the first time in one request')
  await release(LIST)
  refetcher.call()
  await advance(26_900)
  assert.deepEqual(requests(), [], 'both were slow')
  hold(LIST)
  await advance(200)
  assert.deepEqual(requests(), [[LIST], [CHOICES]], 'slow ones in requests of their own')
  refetcher.call()
  await advance(2_900)
  assert.deepEqual(requests(), [[CHOICES]], 'it does not wait for the list')
  await release(LIST)
  for (let second = 0; second < 26; second += 1) {
    refetcher.call()
    await advance(1_000)
  }
  assert.deepEqual(new Set(requests().flat()), new Set([CHOICES]), 'the list waits for 27 seconds')
  await advance(2_000)
  assert.ok(requests().flat().includes(LIST))
})

test('a change during a fetch causes another fetch', async (t) => {
  const { refetcher, queries, requests, hold, release, advance } = startPage(t)
  hold(LIST)
  void queries.refetchQueries()
  await advance(10)
  assert.deepEqual(requests(), [[LIST, CHOICES]])
  refetcher.call()
  await advance(10)
  assert.deepEqual(requests(), [])
  await release(LIST)
  await advance(10)
  assert.deepEqual(requests(), [[LIST, CHOICES]])
})

test('a query over many rows waits half a minute, and a stream’s start skips it', async (t) => {
  const { refetcher, requests, advance } = startPage(t, { overManyRows: LIST })
  refetcher.callQuick()
  await advance(1_100)
  assert.deepEqual(requests(), [[CHOICES]])
  refetcher.call()
  await advance(100)
  assert.deepEqual(requests(), [[LIST, CHOICES]])
  refetcher.call()
  await advance(29_800)
  assert.deepEqual(requests(), [[CHOICES]])
  await advance(200)
  assert.deepEqual(requests(), [[LIST]])
})

for (const [where, sandbox, pauseMs] of [
  ['in a sandbox after a second', true, 1_000],
  ['elsewhere after half a minute', false, 30_000],
] as const) {
  test(`every page refetches the session: ${where}`, async (t) => {
    const { refetcher, queries, requests, advance } = startPage(t, { sandbox, isFollowed: false })
    refetcher.call()
    await advance(100)
    assert.deepEqual(requests(), [[SESSION]])
    refetcher.call()
    await advance(pauseMs - 200)
    assert.deepEqual(requests(), [])
    await advance(200)
    assert.deepEqual(requests(), [[SESSION]])
    const list = queries.getQueryCache().find({ queryKey: keyOf(LIST) })
    assert.equal(list?.state.isInvalidated, true, 'a page that follows later fetches it again')
  })
}

const workspaceId = 'a workspace'
const STEP_MS = 5

/** Makes keys like tRPC. */
const keyOf = (call: string) =>
  call === SESSION ? [call.split('.')] : [call.split('.'), { input: { workspaceId }, type: 'query' }]

type Options = { overManyRows?: string; sandbox?: boolean; isFollowed?: boolean }

/** The queries of a page, with batches as the dashboard sends them. Only `advance` moves the time. */
function startPage(t: TestContext, { overManyRows, sandbox = false, isFollowed = true }: Options = {}) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const { setTimeout } = globalThis
  // Node's mock never runs a timer that is set without a delay while another one waits.
  t.mock.method(globalThis, 'setTimeout', (act: () => void, delayMs = 0) => setTimeout(act, delayMs))
  t.mock.method(performance, 'now', () => Date.now())
  const held = new Map<string, PromiseWithResolvers<void>>()
  const sent: string[][] = []
  const client = createTRPCUntypedClient({ links: [httpBatchLink({ url: 'http://server', fetch: answer })] })

  async function answer(url: RequestInfo | URL) {
    const calls = new URL(new Request(url).url).pathname.slice(1).split(',')
    sent.push(calls)
    for (const call of calls) await held.get(call)?.promise
    return { ok: true, json: () => Promise.resolve(calls.map(() => ({ result: { data: null } }))) }
  }

  const queries = new QueryClient()
  for (const call of isFollowed ? [LIST, CHOICES] : [LIST, SESSION]) {
    const queryKey = keyOf(call)
    queries.setQueryData(queryKey, null)
    const observer = new QueryObserver(queries, {
      queryKey,
      queryFn: () => client.query(call),
      staleTime: Infinity,
      ...(call === overManyRows && slowPolling),
    })
    observer.subscribe(() => {})
  }
  const refetcher = createRefetcher(queries, { workspaceId, sandbox, isFollowed: () => isFollowed })
  t.after(refetcher.end)
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      t.mock.timers.tick(STEP_MS)
      await setImmediate() // code that waits for the timers continues
    }
  }
  return {
    refetcher,
    queries,
    /** The calls of each request since the last time. */
    requests: () => sent.splice(0),
    hold: (call: string) => held.set(call, Promise.withResolvers()),
    release: async (call: string) => {
      held.get(call)?.resolve()
      held.delete(call)
      await advance(STEP_MS)
    },
    advance,
  }
}
