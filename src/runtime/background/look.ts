import { FROM_BEGINNING, type SearchStarts } from '../jobs/search-start.ts'
import type { Look, Loop } from '../jobs/loop.ts'

/** Which loops have due work. Those that are not named poll on their own. */
export type DueLoops = Readonly<Record<string, boolean>>

/** `next`: where later searches may begin. Null if they must begin at the beginning. */
export type LookResult = { due: DueLoops; next: SearchStarts | null }

type Find = (starts: SearchStarts, of: { mayTakeLong: boolean }) => Promise<LookResult>

/**
 * The longest delay before a look finds due work that no wake-up announced, unless looks are slow. Grows to IDLE_POLL_MS while no watched loop
 * has due work.
 */
const LOOK_MS = 500
/** How long the result of a look is trusted, or twice the pause after it if that is longer. */
const MAX_AGE_MS = 2_000
/**
 * Full looks, which search from the beginning, take at most this share of the time, unless the pause would be longer than its limit. So do the partial
 * looks between them, which begin at `starts`.
 */
const MAX_SHARE = 1 / 10
const MAX_PAUSE_MS = 5_000
const MAX_FULL_PAUSE_MS = 30_000

/**
 * One statement for all loops that found nothing: an idle instance costs its database next to nothing. Each look changes
 * `starts`, where loops begin to search.
 */
export function createLook(find: Find, now = () => performance.now()) {
  const watched = new Map<string, () => void>()
  const starts = { ...FROM_BEGINNING }
  let last: { due: DueLoops; untilMs: number } | undefined
  let nextAtMs = 0
  let nextFullAtMs = 0
  /** The last full look was slow or failed. */
  let isSlow = false
  /** `starts` is not the beginning: partial looks are possible. */
  let hasStart = false

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
      const isFull = !hasStart || atMs >= nextFullAtMs
      const mayTakeLong = isSlow
      let maxPauseMs = MAX_PAUSE_MS
      const pauseMs = (): number => (now() - atMs) * (1 / MAX_SHARE - 1)
      try {
        const { due, next } = await find(isFull ? FROM_BEGINNING : starts, { mayTakeLong })
        if (isFull) isSlow = pauseMs() > LOOK_MS
        hasStart = isSlow && next !== null
        Object.assign(starts, hasStart ? next : FROM_BEGINNING)
        last = { due, untilMs: atMs + Math.max(MAX_AGE_MS, 2 * Math.min(pauseMs(), MAX_PAUSE_MS)) }
        const toWake = [...watched].filter(([name]) => due[name])
        for (const [, wake] of toWake) wake()
        return { more: false, idle: toWake.length === 0 }
      } catch (error) {
        if (isFull && mayTakeLong) maxPauseMs = MAX_FULL_PAUSE_MS
        isSlow ||= isFull
        leaveToPolls()
        throw error
      } finally {
        if (isFull) nextFullAtMs = now() + Math.min(pauseMs(), MAX_FULL_PAUSE_MS)
        if (!isFull || !hasStart) nextAtMs = now() + Math.min(pauseMs(), maxPauseMs)
      }
    },
  }
  const watch: Look['watch'] = (name, wake) => {
    if (!last || now() > last.untilMs || last.due[name] !== false) return undefined
    watched.set(name, wake)
    return { [Symbol.dispose]: () => void watched.delete(name) }
  }
  return { loop, starts, watch }
}
