import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useRef, useState } from 'react'
import { type Throttle, throttle } from '../../../src/throttle.ts'

/** `connecting`: for the first time, or again after a break. `off`: the page is out of sight. */
export type LiveState = 'connecting' | 'live' | 'off'

/** A query waits this long after its answer, however much changes. */
const MIN_REST_MS = 1_000
/** For queries over many rows: `useQuery({ …, ...slowly })`. */
const MIN_SLOW_REST_MS = 30_000
export const slowPolling = { meta: { live: 'slowly' }, staleTime: MIN_SLOW_REST_MS } as const
/** Nine times as long as the answer took: polling takes at most a tenth of the time, whatever it costs the server. */
const REST_OF_ANSWER = 9
/** tRPC batches the answers of one request. Slower queries go in their own request, so that they delay no others. */
const ALONE_FROM_MS = 300
/** Calls this far apart are not batched. */
const APART_MS = 5
const RETRY_FIRST_MS = 1_000
const MAX_RETRY_MS = 60_000

export type Live = {
  state: LiveState
  /** Refetches the queries of the workspace until the returned function is called. */
  follow: () => () => void
}

export const LiveContext = createContext<Live>({ state: 'off', follow: () => () => {} })

/** Keeps the queries of the page fresh. Without the stream the page keeps its data and shows that it is not live. */
export function useLive(): LiveState {
  const { state, follow } = use(LiveContext)
  useEffect(follow, [follow])
  return state
}

/**
 * One stream for all pages of a workspace. It announces changes, upon which the queries of pages that follow it are
 * refetched, each at its own pace. Every page also refetches the session: it has the clock of a sandbox, which must not lag,
 * and the name, the role and the deletion of every workspace.
 */
export function useLiveStream(workspace: { workspaceId: string; sandbox: boolean } | undefined): Live {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const followers = useRef(0)
  const { workspaceId, sandbox = false } = workspace ?? {}
  useEffect(() => {
    if (workspaceId === undefined) return
    const isFollowed = ({ queryKey }: Query): boolean =>
      isSession(queryKey) || (followers.current > 0 && isOfWorkspace(queryKey, workspaceId))
    const isSlow = ({ queryKey, meta }: Query): boolean =>
      meta?.['live'] === 'slowly' || (isSession(queryKey) && !sandbox)
    const refetcher = createRefetcher(queries, { workspaceId, isFollowed, isSlow })
    const stream = steadyStream(`/dashboard/live/${workspaceId}`, {
      onState: setState,
      onBegin: refetcher.callQuick,
      onWord: refetcher.call,
    })
    return () => {
      stream.end()
      refetcher.end()
    }
  }, [workspaceId, sandbox, queries])
  return useMemo(
    () => ({
      state,
      follow() {
        followers.current += 1
        return () => {
          followers.current -= 1
        }
      },
    }),
    [state],
  )
}

const isSession = ([path]: readonly unknown[]): boolean => Array.isArray(path) && path.join('.') === 'session.current'

type Followed = {
  workspaceId: string
  isFollowed: (query: Query) => boolean
  isSlow: (query: Query) => boolean
}

/** Refetches the active queries at each call, each as soon as its pause is over. `callQuick` leaves out the slow ones. */
function createRefetcher(
  queries: QueryClient,
  { workspaceId, isFollowed, isSlow }: Followed,
): Throttle & { callQuick: () => void } {
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
    const followed = ofWorkspace.filter((query) => query.isActive() && isFollowed(query))
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

/** An answer already under way may be older than the change. */
async function refetchQuery(queries: QueryClient, query: Query): Promise<void> {
  if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => {})
  await queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
}

/** Keys of tRPC's queries: the path, then the input. */
export const isOfWorkspace = ([, rest]: readonly unknown[], workspaceId: string): boolean =>
  typeof rest === 'object' &&
  rest !== null &&
  'input' in rest &&
  typeof rest.input === 'object' &&
  rest.input !== null &&
  'workspaceId' in rest.input &&
  rest.input.workspaceId === workspaceId

/** Exponential backoff with jitter. */
export const retryAfterMs = (failures: number, random: number): number =>
  Math.min(RETRY_FIRST_MS * 2 ** failures, MAX_RETRY_MS) * (0.5 + random / 2)

type Listening = { onState: (state: LiveState) => void; onBegin: () => void; onWord: () => void }

/**
 * Open while the page is visible. Opening counts as a change, since events before it may be missed; the first opening calls
 * `onBegin`, since the page has just fetched.
 */
function steadyStream(url: string, { onState, onBegin, onWord }: Listening): { end: () => void } {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let openedBefore = false

  const close = (): void => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }
  const open = (): void => {
    close()
    onState('connecting')
    const opened = new EventSource(url)
    source = opened
    opened.addEventListener('ready', () => {
      failures = 0
      onState('live')
      if (openedBefore) onWord()
      else onBegin()
      openedBefore = true
    })
    opened.addEventListener('changed', onWord)
    opened.addEventListener('error', () => {
      close()
      onState('connecting')
      timer = setTimeout(open, retryAfterMs(failures, Math.random()))
      failures += 1
    })
  }
  const follow = (): void => {
    if (document.visibilityState === 'visible') open()
    else {
      close()
      onState('off')
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return {
    end: () => {
      document.removeEventListener('visibilitychange', follow)
      close()
    },
  }
}
