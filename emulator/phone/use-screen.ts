import { useCallback, useEffect, useMemo, useReducer, useState } from 'react'
import type { Act } from './chats.ts'
import type { Connection, Source } from './source.ts'
import { EMPTY_SCREEN, type Screen, type ScreenEvent, follow } from './state.ts'

export type LivePhone = {
  screen: Screen
  connection: Connection
  source: Source
  tell: (event: ScreenEvent) => void
}

/** What a source tells, for as long as the page is there. `source` must stay the same. */
export function useScreen(source: Source): LivePhone {
  const [screen, tell] = useReducer(follow, EMPTY_SCREEN)
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => source.subscribe({ onChange: tell, onConnection: setConnection }), [source])
  return useMemo(() => ({ screen, connection, source, tell }), [screen, connection, source])
}

/** Does what the customer does, and keeps what went wrong with it until the next act. */
export function useAct({ source }: LivePhone): {
  fault: Error | undefined
  act: (act: Act) => Promise<boolean>
  forget: () => void
} {
  const [fault, setFault] = useState<Error>()
  const act = useCallback(
    async (act: Act) => {
      setFault(undefined)
      try {
        await source.act(act)
        return true
      } catch (error) {
        setFault(error instanceof Error ? error : new Error(String(error)))
        return false
      }
    },
    [source],
  )
  return { fault, act, forget: useCallback(() => setFault(undefined), []) }
}
