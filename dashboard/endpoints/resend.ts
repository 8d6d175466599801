import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useWorkspace } from '../ui/workspace.ts'
import type { EventType } from './search.ts'

export type Choice = {
  statuses: ('failed' | 'held' | 'succeeded')[]
  type?: EventType
  from?: string
  to?: string
}

/** The deliveries that catching up resends. */
export const UNDELIVERED: Choice = { statuses: ['held', 'failed'] }

/** The count of the chosen deliveries, and its time, with which the run begins. */
type Count = { total: number; at: string }

type Sending = {
  phase: 'idle' | 'running' | 'stopping' | 'stopped' | 'done' | 'failed'
  resent: number
  total: number
  error?: unknown
}

const IDLE: Sending = { phase: 'idle', resent: 0, total: 0 }

/** Resends the counted deliveries in batches. It stops when the page closes; batches already sent stay sent. */
export function useResendAll(endpointId: string) {
  const { workspaceId } = useWorkspace()
  const [sending, setSending] = useState<Sending>(IDLE)
  const stop = useRef(false)
  const resend = useMutation(api.endpoints.resendChosen.mutationOptions())

  useEffect(() => {
    stop.current = false
    return () => {
      stop.current = true
    }
  }, [])

  /** `prepare` runs first, such as enabling the endpoint, and returns the count. */
  async function start(choice: Choice, prepare: () => Promise<Count>): Promise<void> {
    stop.current = false
    setSending({ phase: 'running', resent: 0, total: 0 })
    try {
      const { total, at } = await prepare()
      setSending((now) => ({ ...now, total }))
      const { ended } = await resendAll({
        next: (): Promise<Batch> => resend.mutateAsync({ workspaceId, endpointId, ...choice, at }),
        onProgress: (resent) => setSending((now) => ({ ...now, resent })),
        stopped: () => stop.current,
      })
      setSending((now) => ({ ...now, phase: ended ? 'done' : 'stopped' }))
    } catch (error) {
      setSending((now) => ({ ...now, phase: 'failed', error }))
    }
    await refreshEndpoint()
  }

  return {
    sending,
    isBusy: sending.phase === 'running' || sending.phase === 'stopping',
    start,
    stop: (): void => {
      stop.current = true
      setSending((now) => (now.phase === 'running' ? { ...now, phase: 'stopping' } : now))
    },
    forget: () => setSending(IDLE),
  }
}

export type ResendRun = ReturnType<typeof useResendAll>

export const refreshEndpoint = (): Promise<void> => queryClient.invalidateQueries({ queryKey: api.endpoints.pathKey() })

export type MissedEvents = RouterOutputs['endpoints']['missed']

export type Batch = { resent: number; more: boolean }

type ResendAll = {
  next: () => Promise<Batch>
  onProgress: (resent: number) => void
  stopped: () => boolean
}

/** Far more batches than any endpoint has deliveries for. */
const MAX_BATCHES = 100_000

/** Resends in batches until none is left or it is stopped. Batches already sent stay sent. */
export async function resendAll({ next, onProgress, stopped }: ResendAll): Promise<{ resent: number; ended: boolean }> {
  let resent = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if (stopped()) return { resent, ended: false }
    const done = await next()
    resent += done.resent
    onProgress(resent)
    if (!done.more) return { resent, ended: true }
  }
  return { resent, ended: false }
}
