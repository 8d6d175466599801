import { useSyncExternalStore } from 'react'

const TICK_MS = 10_000

const listeners = new Set<() => void>()
let tick = 0
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    tick += 1
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const never = (): (() => void) => () => {}

/** Renders again at each tick, which all relative times of the page share. */
export const useTick = (ticks: boolean): unknown => useSyncExternalStore(ticks ? subscribe : never, () => tick)
