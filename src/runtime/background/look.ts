import type { Look, Loop } from '../jobs/loop.ts'

/** Which loops have due work. Those that are not named poll on their own. */
export type DueLoops = Readonly<Record<string, boolean>>

/** How late due work may be found that no wake-up announced, unless looks are slow. */
const LOOK_MS = 500
/** How long the result of a look is trusted, or twice the pause after it if that is longer. */
const MAX_AGE_MS = 2_000
/**
 * A look takes at most this share of the time, up to a pause of MAX_PAUSE_MS. While a long transaction runs, a look reads an index entry
 * of everything done since that transaction began. Each loop that it wakes reads as many.
 */
const MAX_SHARE = 1 / 10
const MAX_PAUSE_MS = 5_000

/** One statement for all loops that found nothing: an idle instance costs its database next to nothing. */
export function createLook(find: () => Promise<DueLoops>, now = () => performance.now()): Look & { loop: Loop } {
  const watched = new Map<string, () => void>()
  let last: { due: DueLoops; untilMs: number } | undefined
  let nextAtMs = 0

  const leaveToPolls = (): void => {
    last = undefined
    for (const wake of watched.values()) wake()
  }
  const loop: Loop = {
    name: 'look',
    pollMs: LOOK_MS,
    async turn() {
      if (now() < nextAtMs) return { more: false }
      const atMs = now()
      const pauseMs = (): number => Math.min((now() - atMs) * (1 / MAX_SHARE - 1), MAX_PAUSE_MS)
      try {
        const due = await find()
        last = { due, untilMs: atMs + Math.max(MAX_AGE_MS, 2 * pauseMs()) }
        for (const [name, wake] of watched) if (due[name]) wake()
      } catch (error) {
        leaveToPolls()
        throw error
      } finally {
        nextAtMs = now() + pauseMs()
      }
      return { more: false }
    },
  }
  return {
    loop,
    watch(name, wake) {
      if (!last || now() > last.untilMs || last.due[name] !== false) return undefined
      watched.set(name, wake)
      return { [Symbol.dispose]: () => void watched.delete(name) }
    },
  }
}
