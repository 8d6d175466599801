import { useEffect, useMemo, useRef, useState } from 'react'
import type { Pair } from '../chats.ts'
import { type PhoneClock, REAL_CLOCK } from '../clock.ts'
import type { DueAnswer, Moved, TwinTime } from '../due.ts'
import { ask } from '../source.ts'
import { type Screen, keyOf } from '../state.ts'

const TICK_MS = 1_000
/** What changes together is asked for once. */
const ASK_AFTER_MS = 150
/** And while something changes all the time, so often. */
const ASK_EVERY_MS = 1_000
/** The twin gives the move up before. */
const MOVE_TIMEOUT_MS = 60_000
const TIMER_MOST_MS = 2 ** 31 - 1

/** What the twin's clock shows, going on from when it was told. */
export function useTwinClock(time: TwinTime | undefined): PhoneClock & { now: () => Date } {
  return useMemo(() => {
    const aheadMs = time === undefined ? 0 : Date.parse(time.now) - Date.now()
    return { ...REAL_CLOCK, now: () => new Date(Date.now() + aheadMs) }
  }, [time])
}

/** Shows it anew each second. */
export function useTick(clock: { now: () => Date }): Date {
  const [, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return clock.now()
}

/** What is due, asked for again with every change and when the first of it has come. */
export function useDue(pair: Pair | undefined, screen: Screen): DueAnswer | undefined {
  const [answered, setAnswered] = useState<{ key: string; due: DueAnswer }>()
  const [passed, setPassed] = useState(0)
  const askedAtMs = useRef(Number.NEGATIVE_INFINITY)
  const key = pair ? keyOf(pair) : ''
  const { phone = '', number = '' } = pair ?? {}
  useEffect(() => {
    if (screen.told === 0) return
    const askNow = (): void => {
      askedAtMs.current = performance.now()
      const query = phone === '' ? '' : `?${new URLSearchParams({ phone, number }).toString()}`
      ask<DueAnswer>(`/control/clock${query}`).then(
        (due) => setAnswered({ key, due }),
        () => {}, // a lost connection is told elsewhere, and with the next change this is tried again
      )
    }
    const isOverdue = performance.now() - askedAtMs.current > ASK_EVERY_MS
    const timer = setTimeout(askNow, isOverdue ? 0 : ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [screen, key, phone, number, passed])

  const due = answered?.key === key ? answered.due : undefined
  useEffect(() => {
    const nextMs = Math.min(...[...(due?.chat ?? []), ...(due?.due ?? [])].map(({ inMs }) => inMs))
    if (!Number.isFinite(nextMs)) return
    const timer = setTimeout(() => setPassed((times) => times + 1), Math.min(nextMs + ASK_EVERY_MS, TIMER_MOST_MS))
    return () => clearTimeout(timer)
  }, [due])
  return due
}

export type Target = { by: string } | { to: string }
export type Moving = { fromMs: number; byMs: number }

/** Moves the clock; `byMs` is how far that is. */
export function useMove(time: TwinTime | undefined) {
  const [moving, setMoving] = useState<Moving>()
  const [moved, setMoved] = useState<Moved>()
  const [fault, setFault] = useState<Error>()
  const move = async (target: Target, byMs: number): Promise<void> => {
    setMoving({ fromMs: time?.aheadMs ?? 0, byMs })
    setFault(undefined)
    setMoved(undefined)
    try {
      setMoved(await ask<Moved>('/control/clock', target, MOVE_TIMEOUT_MS))
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)))
    }
    setMoving(undefined)
  }
  return { move, moving, moved, fault }
}
