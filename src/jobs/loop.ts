import type { Log } from '../log.ts'

/**
 * One kind of background work. A turn takes what is due and there is room for, and tells whether more may be waiting.
 */
export type Loop = {
  name: string
  /** How long it sleeps at the most when nobody wakes it, ms: the floor under every wake-up that gets lost. */
  pollMs: number
  turn(): Promise<{ more: boolean }>
  /** Waits for what its turns left under way. */
  drain?(): Promise<void>
}

export type RunningLoop = { name: string; wake(): void; stop(): Promise<void> }

/** After a failed turn: no faster than this, so that a database that is down is not hammered. */
const AFTER_FAULT_MS = 1_000
/** Polls of several nodes spread by this share of the interval. */
const JITTER = 0.2

export function startLoop(loop: Loop, log: Log): RunningLoop {
  let stopping = false
  let awake = false
  let rouse: (() => void) | undefined

  const wake = (): void => {
    awake = true
    rouse?.()
  }
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        rouse = undefined
        resolve()
      }
      rouse = done
      if (awake || stopping) done()
    })
  const run = async (): Promise<void> => {
    while (!stopping) {
      awake = false
      try {
        const { more } = await loop.turn()
        if (!more) await sleep(loop.pollMs * (1 + JITTER * (Math.random() - 0.5)))
      } catch (error) {
        log.error({ err: error, loop: loop.name }, 'a turn of background work failed; it will be tried again')
        awake = false
        await sleep(AFTER_FAULT_MS)
      }
    }
    await loop.drain?.()
  }
  const ended = run()
  return {
    name: loop.name,
    wake,
    async stop() {
      stopping = true
      rouse?.()
      await ended
    },
  }
}
