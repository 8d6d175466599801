import { type Noting, UNNOTED } from './changes.ts'
import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { forgetOldest } from './phones.ts'

/** Until when a business number may write freely to a person: 24 hours from the person's last message to it. */
export class ServiceWindows {
  readonly #changes: Noting
  readonly #openUntil = new Map<string, number>()

  constructor(changes: Noting = UNNOTED) {
    this.#changes = changes
  }

  open(phoneNumberId: string, person: string, writtenAt: number): void {
    const key = `${phoneNumberId}/${person}`
    const until = Math.max(this.#openUntil.get(key) ?? 0, writtenAt + META_LIMITS.serviceWindowMs)
    this.#openUntil.delete(key)
    this.#openUntil.set(key, until)
    this.#changes.note('windows', key, until)
    const forgotten = forgetOldest(this.#openUntil, TWIN_LIMITS.windowsKept)
    if (forgotten !== undefined) this.#changes.note('windows', forgotten, undefined)
  }

  isOpen(phoneNumberId: string, person: string, now: number): boolean {
    return this.openUntil(phoneNumberId, person, now) !== undefined
  }

  /** Undefined when it is not open. */
  openUntil(phoneNumberId: string, person: string, now: number): number | undefined {
    const until = this.#openUntil.get(`${phoneNumberId}/${person}`) ?? 0
    return until > now ? until : undefined
  }

  /** How many end after `from` and not after `to`. */
  countEnds(from: number, to: number): number {
    let ends = 0
    for (const until of this.#openUntil.values()) if (until > from && until <= to) ends++
    return ends
  }

  all(): Iterable<[string, number]> {
    return this.#openUntil
  }

  restore(kept: [string, number][]): void {
    for (const [key, until] of kept) this.#openUntil.set(key, until)
  }

  clear(): void {
    for (const key of this.#openUntil.keys()) this.#changes.note('windows', key, undefined)
    this.#openUntil.clear()
  }
}
