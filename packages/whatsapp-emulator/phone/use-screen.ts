import { createContext, use, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { Act, Change, Pair } from '../src/wire/chats.ts'
import type { PhoneClock } from './clock.ts'
import { type Connection, type Source, subscribe } from './source.ts'
import { EMPTY_SCREEN, type Screen, type ScreenEvent, changeFor, screenReducer } from './state.ts'

export type LivePhone = {
  screen: Screen
  connection: Connection
  source: Source
  dispatch: (event: ScreenEvent) => void
}

/** Set by `Phone` for everything that it shows. */
export const PhoneContext = createContext<(LivePhone & { clock: PhoneClock }) | undefined>(undefined)

export function usePhone(): LivePhone & { clock: PhoneClock } {
  const phone = use(PhoneContext)
  if (!phone) throw new Error('not inside a Phone')
  return phone
}

/** Subscribes to the source while mounted. `source` and `only` must stay the same. `only`: the chat that the page shows, if it is one. */
export function useScreen(source: Source, only?: Pair): LivePhone {
  const [screen, dispatch] = useReducer(screenReducer, EMPTY_SCREEN)
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const onChange = (change: Change): void => {
      const shown = only ? changeFor(only, change) : change
      if (shown) dispatch(shown)
    }
    return subscribe(source, { onChange, onConnection: setConnection })
  }, [source, only])
  return useMemo(() => ({ screen, connection, source, dispatch }), [screen, connection, source])
}

/**
 * A page opens with the newest chat. After a chat has been opened, new messages do not switch to another, and a phone
 * can go back to the list.
 */
export function useNewestChat({ screen }: LivePhone, selected: Pair | undefined, select: (pair: Pair) => void): void {
  const newest = [...screen.chats.values()].at(-1)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (selected) wasOpen.current = true
    if (wasOpen.current || !newest) return
    select({ phone: newest.phone, number: newest.number })
  }, [newest, selected, select])
}

/** Performs the customer's actions, and keeps an error until the next action. */
export function useAct() {
  const { source } = usePhone()
  const [error, setError] = useState<unknown>()
  const act = async (act: Act): Promise<boolean> => {
    setError(undefined)
    try {
      await source.act(act)
      return true
    } catch (error) {
      setError(error)
      return false
    }
  }
  return { error, act }
}
