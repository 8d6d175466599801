/**
 * Bytes that the bodies of one process may hold together, from the first byte of each until it is answered: 42 of the
 * largest webhooks. Without it a thousand connections without a key, each with a body that lacks its last byte, hold 3 GB.
 */
export const BODIES_BYTES_MOST = 128 * 1024 * 1024

/**
 * A provider's body is there in a fraction of a second. One that takes longer gives way when others need its room, so
 * that whoever wants to keep them out must send the whole room anew all the time: no share of each address would do more,
 * since behind a proxy all may have the same one, and whoever attacks has many.
 */
export const SLOW_BODY_MS = 3_000

export type BodyRoom = {
  /** For a body that begins to arrive. `giveWay` is told to leave. */
  enter(giveWay: () => void): Place
}

export type Place = {
  /** Whether there is room for so many more bytes. Slow bodies give way for them. */
  take(bytes: number): boolean
  /** The body is whole: it keeps its room until it leaves. */
  arrived(): void
  leave(): void
}

/** There was no room for a body, or no more: its sender may come again. */
export class NoRoom extends Error {}

type RoomOptions = { most?: number; monotonicMs?: () => number }

export function bodyRoom({
  most = BODIES_BYTES_MOST,
  monotonicMs = () => performance.now(),
}: RoomOptions = {}): BodyRoom {
  let held = 0
  /** In the order in which they began. */
  const arriving = new Set<{ since: number; giveWay: () => void }>()

  return {
    enter(giveWay) {
      const body = { since: monotonicMs(), giveWay }
      let own = 0
      let left = false
      arriving.add(body)
      return {
        take(bytes) {
          if (left) return false
          while (held + bytes > most) {
            const [first] = arriving
            if (!first || first === body || monotonicMs() - first.since < SLOW_BODY_MS) return false
            arriving.delete(first)
            first.giveWay()
          }
          held += bytes
          own += bytes
          return true
        },
        arrived: () => void arriving.delete(body),
        leave() {
          left = true
          arriving.delete(body)
          held -= own
          own = 0
        },
      }
    },
  }
}
