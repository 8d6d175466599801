/** What many requests have in common: whose they are, and what they are sent from and with. */
export type Way = { workspace_id: string; sender_id: string; name: string; language: string }

/** No name can hold NUL: whatever comes in with one is refused (contract §2). */
export const keyOf = ({ workspace_id, sender_id, name, language }: Way): string =>
  `${workspace_id} ${sender_id} ${language}\0${name}`

/** What a look-up tells of a way. */
export type WayFound = {
  /** Another one as soon as anything is another that the way is judged by; null when a part of it is missing. */
  version: string | null
  /** How far the workspace's clock is ahead of the real one. */
  clock_offset_ms: number
}

/** What was found when a request of a way was last accepted. It may be out of date: its version tells. */
export type Precedents<Found> = {
  get(way: string): Found | undefined
  set(way: string, found: Found): void
  forget(way: string): void
}

/** A few kilobytes each, most of it the template. The oldest goes first. */
export const PRECEDENTS_MOST = 5_000

export function precedentsOf<Found>(): Precedents<Found> {
  const precedents = new Map<string, Found>()
  return {
    get: (way) => precedents.get(way),
    set(way, found) {
      precedents.delete(way)
      const [oldest] = precedents.size < PRECEDENTS_MOST ? [] : precedents.keys()
      if (oldest !== undefined) precedents.delete(oldest)
      precedents.set(way, found)
    },
    forget: (way) => void precedents.delete(way),
  }
}
