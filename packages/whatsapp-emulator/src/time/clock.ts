/** The emulator's time: it runs like `real` and can be moved forward. */
export class Clock {
  readonly #real: () => number
  #aheadMs: number

  constructor(real: () => number, aheadMs = 0) {
    this.#real = real
    this.#aheadMs = aheadMs
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Math.round(this.#real() + this.#aheadMs)
  }

  /** Monotonic milliseconds, for delays: `real` may stop or go back. */
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

/** Callers that wait until the emulator is idle. */
export class Idle {
  #checked = Promise.withResolvers<void>()

  async until(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#checked.promise
  }

  /** Call it when something was done. */
  check(): void {
    this.#checked.resolve()
    this.#checked = Promise.withResolvers()
  }
}
