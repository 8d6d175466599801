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

/** How many a choice was counted to be, and when: that begins the run. */
export type Counted = { total: number; at: string }

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

  /** `prepare` does what must come first, such as enabling the endpoint, and counts. */
  async function start(choice: Choice, prepare: () => Promise<Counted>): Promise<void> {
    stop.current = false
    setSending({ phase: 'running', resent: 0, total: 0 })
    try {
      const { total, at } = await prepare()
      setSending((now) => ({ ...now, total }))
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
    stop: (): void => {
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
