/**
 * Memory for all raw bodies of one process, from their first byte until their response is sent: 42 of the largest webhooks.
 * Without it, 1,000 unauthenticated connections with unfinished bodies hold 3 GB.
 */
export const MAX_BODIES_BYTES = 128 * 1024 * 1024

/**
 * A provider's body arrives in a fraction of a second. A slower one is evicted when others need the memory, so an
 * attacker must keep resending the whole budget. Limits per address would not help: behind a proxy all clients may share
 * one, and an attacker has many.
 */
export const SLOW_BODY_MS = 3_000

export type BodyBudget = {
  /** Call it when a body begins to arrive. `evict` must drop that body. */
  open(evict: () => void): BodyReservation
}

export type BodyReservation = {
  /** Reserves more bytes, evicting slow bodies if needed. False: the budget is used up. */
  grow(bytes: number): boolean
  /** The body has arrived in full: it cannot be evicted any more. */
  complete(): void
  release(): void
}

/** The sender may retry (503). */
export class BodyBudgetExceeded extends Error {}

type BodyBudgetOptions = { maxBytes?: number; monotonicMs?: () => number }

export function createBodyBudget({
  maxBytes = MAX_BODIES_BYTES,
  monotonicMs = () => performance.now(),
}: BodyBudgetOptions = {}): BodyBudget {
  let reserved = 0
  /** In the order in which they began to arrive. */
  const arriving = new Set<{ startedAt: number; evict: () => void }>()

  return {
    open(evict) {
      const body = { startedAt: monotonicMs(), evict }
      let own = 0
      let released = false
      arriving.add(body)
      return {
        grow(bytes) {
          if (released) return false
          while (reserved + bytes > maxBytes) {
            const [oldest] = arriving
            if (!oldest || oldest === body || monotonicMs() - oldest.startedAt < SLOW_BODY_MS) return false
            arriving.delete(oldest)
            oldest.evict()
          }
          reserved += bytes
          own += bytes
          return true
        },
        complete: () => void arriving.delete(body),
        release() {
          released = true
          arriving.delete(body)
          reserved -= own
          own = 0
        },
      }
    },
  }
}
