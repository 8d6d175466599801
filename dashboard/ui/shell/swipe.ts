import { useEffect } from 'react'

/** A shorter or slower movement, or one that is more up or down than sideways, is no swipe. */
const MIN_SWIPE_PX = 64
const MAX_SWIPE_MS = 600
const MIN_SLOPE = 2

type Point = { x: number; y: number; at: number }

/** Which way the content moves: as the finger, mirrored from right to left. Undefined if it is no swipe. */
export function swipeOf(from: Point, to: Point, isRtl: boolean): 'forward' | 'back' | undefined {
  const [dx, dy] = [to.x - from.x, Math.abs(to.y - from.y)]
  if (Math.abs(dx) < MIN_SWIPE_PX || Math.abs(dx) < MIN_SLOPE * dy || to.at - from.at > MAX_SWIPE_MS) return undefined
  return dx < 0 !== isRtl ? 'forward' : 'back'
}

/** Calls these on a swipe across the page with one finger, except over what scrolls sideways or is typed into. */
export function useSwipe(swiped: { forward: (() => void) | undefined; back: (() => void) | undefined }): void {
  const { forward, back } = swiped
  useEffect(() => {
    let from: Point | undefined
    const start = ({ touches, target, timeStamp: at }: TouchEvent): void => {
      const [touch] = touches
      const isOne = touches.length === 1 && touch && target instanceof Element && !scrollsOrTypes(target)
      from = isOne ? { x: touch.clientX, y: touch.clientY, at } : undefined
    }
    const end = ({ changedTouches: [touch], timeStamp: at }: TouchEvent): void => {
      if (!from || !touch) return
      const isRtl = document.documentElement.dir === 'rtl'
      const way = swipeOf(from, { x: touch.clientX, y: touch.clientY, at }, isRtl)
      from = undefined
      if (way === 'forward') forward?.()
      if (way === 'back') back?.()
    }
    document.addEventListener('touchstart', start, { passive: true })
    document.addEventListener('touchend', end, { passive: true })
    return () => {
      document.removeEventListener('touchstart', start)
      document.removeEventListener('touchend', end)
    }
  }, [forward, back])
}

function scrollsOrTypes(target: Element): boolean {
  for (let each: Element | null = target; each && each !== document.body; each = each.parentElement) {
    if (each.matches('input, textarea, select, [role=dialog]')) return true
    if (each.scrollWidth > each.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(each).overflowX)) return true
  }
  return false
}
