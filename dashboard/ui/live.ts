import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { throttled } from '../../src/throttled.ts'
import { useWorkspace } from './workspace.ts'

/** `connecting`: for the first time, or again after a break. `off`: the page is out of sight. */
export type LiveState = 'connecting' | 'live' | 'off'

/** At most one look at the server in this time, however much changes. */
const LOOK_EVERY_MS = 1_000
/** And for questions over many rows, which say so: `useQuery({ …, ...slowly })`. */
const SLOW_LOOK_EVERY_MS = 30_000
export const slowly = { meta: { live: 'slowly' }, staleTime: SLOW_LOOK_EVERY_MS } as const
const RETRY_FIRST_MS = 1_000
const RETRY_MOST_MS = 60_000

/**
 * Keeps what a page shows of its workspace fresh: one stream of words that something changed, upon which the page asks
 * its questions again, those that are asked `slowly` twice a minute. While nothing changes nothing is asked. Without the
 * stream the page stays as it was, and says so.
 */
export function useLive(): LiveState {
  const { workspaceId } = useWorkspace()
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const lookAt = (pace: 'slowly' | undefined): void => {
      void queries.invalidateQueries({
        predicate: ({ queryKey, meta }) => meta?.['live'] === pace && isOfWorkspace(queryKey, workspaceId),
        refetchType: 'active',
      })
    }
    const looks = [
      throttled(() => lookAt(undefined), LOOK_EVERY_MS),
      throttled(() => lookAt('slowly'), SLOW_LOOK_EVERY_MS),
    ]
    const onWord = (): void => looks.forEach((look) => look.call())
    const stream = steadyStream(`/dashboard/live/${workspaceId}`, { onState: setState, onWord })
    return () => {
      stream.end()
      looks.forEach((look) => look.end())
    }
  }, [workspaceId, queries])
  return state
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

type Listening = { onState: (state: LiveState) => void; onWord: () => void }

/** Open while the page is visible. Its opening is a word as well: nobody knows what changed before it. */
function steadyStream(url: string, { onState, onWord }: Listening): { end: () => void } {
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
