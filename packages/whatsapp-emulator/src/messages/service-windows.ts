import { SavedMap, type Storage } from '../store/saved-map.ts'
import { META_LIMITS, EMULATOR_LIMITS } from '../limits.ts'

/** Until when a business number may write freely to a person: 24 hours from the person's last message to it. */
export class ServiceWindows {
  readonly #openUntil: SavedMap<number>

  constructor(storage: Storage) {
    this.#openUntil = new SavedMap('windows', storage, { max: EMULATOR_LIMITS.windowsKept })
  }

  open(phoneNumberId: string, person: string, writtenAt: number): void {
    const key = `${phoneNumberId}/${person}`
    const until = Math.max(this.#openUntil.get(key) ?? 0, writtenAt + META_LIMITS.serviceWindowMs)
    this.#openUntil.setLast(key, until)
  }

  openUntil(phoneNumberId: string, person: string, now: number): number | undefined {
    const until = this.#openUntil.get(`${phoneNumberId}/${person}`) ?? 0
    return until > now ? until : undefined
  }

  /** How many windows end after `from` and not after `to`. */
  countEnds(from: number, to: number): number {
    let ends = 0
    for (const until of this.#openUntil.values()) if (until > from && until <= to) ends++
    return ends
  }

  clear(): void {
    this.#openUntil.clear()
  }
}
