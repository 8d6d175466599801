/**
 * A rate with a burst for each key, stored as one number: the time at which the key has paid for everything it used
 * (GCRA). Keys that have paid are dropped when there are too many.
 */
export class Pacer {
  readonly #paidAt = new Map<string, number>()
  readonly #keysKept: number

  constructor(keysKept: number) {
    this.#keysKept = keysKept
  }

  /** Takes one unit when the key has one left. */
  take(key: string, intervalMs: number, burst: number, now: number): boolean {
    const paidAt = Math.max(this.#paidAt.get(key) ?? 0, now)
    if (paidAt - now > (burst - 1) * intervalMs + ROUNDING_MS) return false
    this.#paidAt.set(key, paidAt + intervalMs)
    if (this.#paidAt.size > this.#keysKept) this.#forgetPaid(now)
    return true
  }

  get keys(): number {
    return this.#paidAt.size
  }

  clear(): void {
    this.#paidAt.clear()
  }

  /** When the unpaid keys are too many, drops the oldest half: memory matters more than one pair's limit. */
  #forgetPaid(now: number): void {
    for (const [key, paidAt] of this.#paidAt) if (paidAt <= now) this.#paidAt.delete(key)
    let surplus = this.#paidAt.size - this.#keysKept / 2
    for (const key of this.#paidAt.keys()) {
      if (surplus-- <= 0) return
      this.#paidAt.delete(key)
    }
  }
}

/** Sums of fractional intervals (12.5 ms for 80 a second) drift by less than this. */
const ROUNDING_MS = 0.01
