export type Throttle = { call: () => void; end: () => void }

/**
 * The first call runs `act` immediately. Calls during `act` and the pause after it run `act` once, at the end of the pause.
 * `pauseMs` gets how long `act` took. The dashboard's pages also use this file.
 */
export function throttle(act: () => Promise<unknown> | void, pauseMs: (tookMs: number) => number): Throttle {
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: 'free' | 'busy' | 'ended' = 'free'
  let calledMeanwhile = false

  const call = (): void => {
    if (state === 'busy') calledMeanwhile = true
    if (state !== 'free') return
    state = 'busy'
    const beganAt = performance.now()
    const pause = (): void => {
      if (state === 'busy') timer = setTimeout(afterPause, pauseMs(performance.now() - beganAt))
    }
    const running = act()
    if (running) running.then(pause, pause)
    else pause()
  }
  const afterPause = (): void => {
    state = 'free'
    if (!calledMeanwhile) return
    calledMeanwhile = false
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
