import type { Query, QueryClient } from '@tanstack/react-query'
import { type Throttle, throttle } from '../../../src/lib/throttle.ts'

/** A query waits this long after its answer, however much changes. */
const MIN_REST_MS = 1_000
/** For queries over many rows: `useQuery({ …, ...slowPolling })`. */
const MIN_SLOW_REST_MS = 30_000
export const slowPolling = { meta: { live: 'slowly' }, staleTime: MIN_SLOW_REST_MS } as const
/** Nine times as long as the answer took: polling takes at most a tenth of the time, whatever it costs the server. */
const REST_OF_ANSWER = 9
/** tRPC batches the answers of one request. Slower queries go in their own request, so that they delay no others. */
const ALONE_FROM_MS = 300
/** Calls this far apart are not batched. */
const APART_MS = 5

type RefetchOptions = {
  workspaceId: string
  sandbox: boolean
  /** Whether a page follows the workspace. The session is refetched in any case. */
  isFollowed: () => boolean
}

/** Refetches the active queries at each call, each as soon as its pause is over. `callQuick` leaves out the slow ones. */
export function createRefetcher(
  queries: QueryClient,
  { workspaceId, sandbox, isFollowed }: RefetchOptions,
): Throttle & { callQuick: () => void } {
  const isSlow = ({ queryKey, meta }: Query): boolean =>
    meta?.['live'] === 'slowly' || (isSession(queryKey) && !sandbox)
  const throttles = new Map<string, Throttle>()
  let turn = Promise.resolve()
  const waitTurn = (): Promise<void> => (turn = turn.then(() => new Promise((go) => setTimeout(go, APART_MS))))
  const throttleOf = (query: Query): Throttle => {
    let lastTookMs = 0
    const refetch = async (): Promise<void> => {
      if (lastTookMs >= ALONE_FROM_MS) await waitTurn()
      await refetchQuery(queries, query)
    }
    const throttled = throttle(refetch, (tookMs) => {
      lastTookMs = tookMs
      return pauseMs(tookMs, isSlow(query))
    })
    throttles.set(query.queryHash, throttled)
    return throttled
  }
  const refetchMatching = (matches: (query: Query) => boolean): void => {
    const ofWorkspace = queries
      .getQueryCache()
      .findAll({ predicate: ({ queryKey }) => isSession(queryKey) || isOfWorkspace(queryKey, workspaceId) })
    const followed = ofWorkspace.filter((query) => query.isActive() && (isSession(query.queryKey) || isFollowed()))
    const shown = new Map(followed.map((query) => [query.queryHash, query]))
    for (const query of ofWorkspace) if (!shown.has(query.queryHash) && !isSession(query.queryKey)) query.invalidate()
    for (const [hash, throttled] of throttles) {
      if (shown.has(hash)) continue
      throttled.end()
      throttles.delete(hash)
    }
    for (const [hash, query] of shown) if (matches(query)) (throttles.get(hash) ?? throttleOf(query)).call()
  }
  return {
    call: () => refetchMatching(() => true),
    callQuick: () => refetchMatching((query) => !isSlow(query)),
    end() {
      for (const throttled of throttles.values()) throttled.end()
    },
  }
}

const pauseMs = (tookMs: number, slowly: boolean): number =>
  Math.max(tookMs * REST_OF_ANSWER, slowly ? MIN_SLOW_REST_MS : MIN_REST_MS)

/** The answer of a request that is already in flight may be older than the change. */
async function refetchQuery(queries: QueryClient, query: Query): Promise<void> {
  if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => {})
  await queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
}

const isSession = ([path]: readonly unknown[]): boolean => Array.isArray(path) && path[0] === 'session'

/** Keys of tRPC's queries: the path, then the input. */
export const isOfWorkspace = ([, rest]: readonly unknown[], workspaceId: string): boolean =>
  typeof rest === 'object' &&
  rest !== null &&
  'input' in rest &&
  typeof rest.input === 'object' &&
  rest.input !== null &&
  'workspaceId' in rest.input &&
  rest.input.workspaceId === workspaceId
