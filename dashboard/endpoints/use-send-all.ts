import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Answers, api, queries } from '../api.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { type Batch, sendAll } from './send-all.ts'
import type { EventType } from './search.ts'

export type Choice = {
  statuses: ('failed' | 'held' | 'succeeded')[]
  type?: EventType
  from?: string
  to?: string
}

/** What catching up sends: all that never arrived. */
export const NEVER_ARRIVED: Choice = { statuses: ['held', 'failed'] }

/** A choice, how many it was counted to be, and when. */
export type Counted = { choice: Choice; total: number; at: string }

export type Sending = {
  phase: 'idle' | 'running' | 'stopping' | 'stopped' | 'done' | 'failed'
  resent: number
  total: number
  error?: unknown
}

const IDLE: Sending = { phase: 'idle', resent: 0, total: 0 }

/** Sends again what was counted, batch by batch. It stops with the page, and what was sent stays sent. */
export function useSendAll(endpointId: string) {
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

  /** `before` comes first, such as enabling the endpoint. */
  async function start({ choice, total, at }: Counted, before?: () => Promise<unknown>): Promise<void> {
    stop.current = false
    setSending({ phase: 'running', resent: 0, total })
    try {
      await before?.()
      const { ended } = await sendAll({
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
    stop(): void {
      stop.current = true
      setSending((now) => (now.phase === 'running' ? { ...now, phase: 'stopping' } : now))
    },
    forget: () => setSending(IDLE),
  }
}

export type SendAllRun = ReturnType<typeof useSendAll>

/** Everything that is shown of endpoints is asked again. */
export const refreshEndpoint = (): Promise<void> => queries.invalidateQueries({ queryKey: api.endpoints.pathKey() })

export type Missed = Answers['endpoints']['missed']
