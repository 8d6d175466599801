/** The twin's time: it runs like the real one, or like that of the program which gave `real`, and can be moved forward. */
export class Clock {
  readonly #real: () => number
  #aheadMs = 0

  constructor(real: () => number) {
    this.#real = real
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Math.round(this.#real() + this.#aheadMs)
  }

  /** Milliseconds that only grow, and by which delays are measured: `real` may stand still or go back. */
  elapsed(): number {
    return performance.now() + this.#aheadMs
  }

  get aheadMs(): number {
    return Math.round(this.#aheadMs)
  }

  move(byMs: number): void {
    this.#aheadMs += byMs
  }
}
