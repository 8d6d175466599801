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
    return (this.#openUntil.get(`${phoneNumberId}/${person}`) ?? 0) > now
  }

  close(phoneNumberId: string, person: string): void {
    this.#openUntil.delete(`${phoneNumberId}/${person}`)
  }

  clear(): void {
    this.#openUntil.clear()
  }
}
