import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Throttled, throttled } from '../../src/throttled.ts'
import { useWorkspace } from './workspace.ts'

/** `connecting`: for the first time, or again after a break. `off`: the page is out of sight. */
export type LiveState = 'connecting' | 'live' | 'off'

/** Each question rests so long after its answer, however much changes. */
const REST_LEAST_MS = 1_000
/** And one over many rows, which says so: `useQuery({ …, ...slowly })`. */
const SLOW_REST_LEAST_MS = 30_000
export const slowly = { meta: { live: 'slowly' }, staleTime: SLOW_REST_LEAST_MS } as const
/** Nine times as long as the answer took: asking takes a tenth of the time at the most, whatever it costs the server. */
const REST_OF_ANSWER = 9
/** Answers of one request come together. What took so long is asked alone, so that it keeps nothing else waiting. */
const ALONE_FROM_MS = 300
/** Questions so far apart go in requests of their own. */
const APART_MS = 5
const RETRY_FIRST_MS = 1_000
const RETRY_MOST_MS = 60_000

/**
 * Keeps what a page shows of its workspace fresh: one stream of words that something changed, upon which the page asks
 * its questions again, each at its own pace. While nothing changes nothing is asked. Without the stream the page stays as
 * it was, and says so.
 */
export function useLive(): LiveState {
  const { workspaceId } = useWorkspace()
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const asking = askingAgain(queries, workspaceId)
    const stream = steadyStream(`/dashboard/live/${workspaceId}`, {
      onState: setState,
      onBegin: asking.callQuick,
      onWord: asking.call,
    })
    return () => {
      stream.end()
      asking.end()
    }
  }, [workspaceId, queries])
  return state
}

/**
 * At each call what the page shows now is asked again, one question as soon as it has rested. `callQuick` leaves out what
 * is asked slowly, which shows what it missed with the next change.
 */
function askingAgain(queries: QueryClient, workspaceId: string): Throttled & { callQuick: () => void } {
  const paces = new Map<string, Throttled>()
  let turn = Promise.resolve()
  const itsTurn = (): Promise<void> => (turn = turn.then(() => new Promise((go) => setTimeout(go, APART_MS))))
  const paceOf = (query: Query): Throttled => {
    let lastTookMs = 0
    const ask = async (): Promise<void> => {
      if (lastTookMs >= ALONE_FROM_MS) await itsTurn()
      await askAgain(queries, query)
    }
    const pace = throttled(ask, (tookMs) => {
      lastTookMs = tookMs
      return restMs(tookMs, isSlow(query))
    })
    paces.set(query.queryHash, pace)
    return pace
  }
  const callThose = (isAsked: (query: Query) => boolean): void => {
    const ofWorkspace = queries
      .getQueryCache()
      .findAll({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
    const shown = new Map(ofWorkspace.filter((query) => query.isActive()).map((query) => [query.queryHash, query]))
    for (const query of ofWorkspace) if (!shown.has(query.queryHash)) query.invalidate()
    for (const [hash, pace] of paces) {
      if (shown.has(hash)) continue
      pace.end()
      paces.delete(hash)
    }
    for (const [hash, query] of shown) if (isAsked(query)) (paces.get(hash) ?? paceOf(query)).call()
  }
  return {
    call: () => callThose(() => true),
    callQuick: () => callThose((query) => !isSlow(query)),
    end() {
      for (const pace of paces.values()) pace.end()
    },
  }
}

const isSlow = ({ meta }: Query): boolean => meta?.['live'] === 'slowly'

const restMs = (tookMs: number, slowly: boolean): number =>
  Math.max(tookMs * REST_OF_ANSWER, slowly ? SLOW_REST_LEAST_MS : REST_LEAST_MS)

/** An answer that was under way already may know nothing of the change. */
async function askAgain(queries: QueryClient, query: Query): Promise<void> {
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

/** A wait before the next attempt, longer each time, and never the same for all who lost the server together. */
export const retryAfterMs = (failures: number, random: number): number =>
  Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS) * (0.5 + random / 2)

type Listening = { onState: (state: LiveState) => void; onBegin: () => void; onWord: () => void }

/**
 * Open while the page is visible. Its opening is a word as well: nobody knows what changed before it. The first time that
 * is little, since the page has asked just now: `onBegin`.
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
