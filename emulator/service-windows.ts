import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { forgetOldest } from './phones.ts'

/** Until when a business number may write freely to a person: 24 hours from the person's last message to it. */
export class ServiceWindows {
  readonly #openUntil = new Map<string, number>()

  open(phoneNumberId: string, person: string, writtenAt: number): void {
    const key = `${phoneNumberId}/${person}`
    const until = Math.max(this.#openUntil.get(key) ?? 0, writtenAt + META_LIMITS.serviceWindowMs)
    this.#openUntil.delete(key)
    this.#openUntil.set(key, until)
    forgetOldest(this.#openUntil, TWIN_LIMITS.windowsKept)
  }

  isOpen(phoneNumberId: string, person: string, now: number): boolean {
    return this.openUntil(phoneNumberId, person, now) !== undefined
  }

  close(phoneNumberId: string, person: string): void {
    this.#openUntil.delete(`${phoneNumberId}/${person}`)
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

  keep() {
    return [...this.#openUntil]
  }

  restore(kept: ReturnType<ServiceWindows['keep']>): void {
    for (const [key, until] of kept) this.#openUntil.set(key, until)
  }

  clear(): void {
    this.#openUntil.clear()
  }
}
