import { useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useRef, useState } from 'react'
import { createRefetcher } from './refetch.ts'

/** `connecting`: for the first time, or again after a break. `off`: the page is out of sight. */
export type LiveState = 'connecting' | 'live' | 'off'

const RETRY_FIRST_MS = 1_000
const MAX_RETRY_MS = 60_000

type Live = {
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
    const refetcher = createRefetcher(queries, { workspaceId, sandbox, isFollowed: () => followers.current > 0 })
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

/** Exponential backoff with jitter. */
const retryAfterMs = (failures: number, random: number): number =>
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
