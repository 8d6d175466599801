export type Throttled = { call: () => void; end: () => void }

/**
 * The first call acts at once; those while it acts, and in the rest after it, act together once at the end of the rest.
 * `restMs` is told how long the act took. In a file of its own, since the pages in the browser use it as well.
 */
export function throttled(act: () => Promise<unknown> | void, restMs: (tookMs: number) => number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: 'free' | 'busy' | 'ended' = 'free'
  let again = false

  const call = (): void => {
    if (state === 'busy') again = true
    if (state !== 'free') return
    state = 'busy'
    const beganAt = performance.now()
    const rest = (): void => {
      if (state === 'busy') timer = setTimeout(rested, restMs(performance.now() - beganAt))
    }
    const acting = act()
    if (acting) acting.then(rest, rest)
    else rest()
  }
  const rested = (): void => {
    state = 'free'
    if (!again) return
    again = false
    call()
  }
  return {
    call,
    end: () => {
      state = 'ended'
      clearTimeout(timer)
    },
  }
}
