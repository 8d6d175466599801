import { FROM_BEGINNING, type SearchStarts } from '../jobs/search-start.ts'
import type { Look, Loop } from '../jobs/loop.ts'

/** Which loops have due work. Those that are not named poll on their own. */
export type DueLoops = Readonly<Record<string, boolean>>

/** `next`: where the next search may begin; null: only at the beginning. */
export type Found = { due: DueLoops; next: SearchStarts | null }

/** How late due work may be found that no wake-up announced, unless looks are slow. */
const LOOK_MS = 500
/** How long the result of a look is trusted, or twice the pause after it if that is longer. */
const MAX_AGE_MS = 2_000
/** A look takes at most this share of the time, up to a pause of MAX_PAUSE_MS. */
const MAX_SHARE = 1 / 10
const MAX_PAUSE_MS = 5_000
/** The same for a look from the beginning: until the next one, all searches begin where the last look ended. */
const MAX_PARTIAL_MS = 30_000

/**
 * One statement for all loops that found nothing: an idle instance costs its database next to nothing. `starts` is where loops begin to
 * search; it changes with each look.
 */
export function createLook(find: (starts: SearchStarts) => Promise<Found>, now = () => performance.now()) {
  const watched = new Map<string, () => void>()
  const starts = { ...FROM_BEGINNING }
  let last: { due: DueLoops; untilMs: number } | undefined
  let nextAtMs = 0
  let nextWholeAtMs = 0

  const leaveToPolls = (): void => {
    last = undefined
    for (const wake of watched.values()) wake()
  }
  const loop: Loop = {
    name: 'look',
    pollMs: LOOK_MS,
    async turn() {
      const atMs = now()
      if (atMs < nextAtMs) return { more: false }
      const isWhole = atMs >= nextWholeAtMs
      const pauseMs = (): number => (now() - atMs) * (1 / MAX_SHARE - 1)
      let hasNext = false
      try {
        const { due, next } = await find(isWhole ? FROM_BEGINNING : starts)
        const isQuick = isWhole && pauseMs() <= LOOK_MS
        hasNext = next !== null && !isQuick
        Object.assign(starts, hasNext ? next : FROM_BEGINNING)
        last = { due, untilMs: atMs + Math.max(MAX_AGE_MS, 2 * Math.min(pauseMs(), MAX_PAUSE_MS)) }
        for (const [name, wake] of watched) if (due[name]) wake()
      } catch (error) {
        leaveToPolls()
        throw error
      } finally {
        if (isWhole) nextWholeAtMs = now() + Math.min(pauseMs(), MAX_PARTIAL_MS)
        if (!isWhole || !hasNext) nextAtMs = now() + Math.min(pauseMs(), MAX_PAUSE_MS)
      }
      return { more: false }
    },
  }
  const watch: Look['watch'] = (name, wake) => {
    if (!last || now() > last.untilMs || last.due[name] !== false) return undefined
    watched.set(name, wake)
    return { [Symbol.dispose]: () => void watched.delete(name) }
  }
  return { loop, starts, watch }
}
