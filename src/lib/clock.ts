/** The only source of the current time; tests move it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)
export const notBefore = (earliest: Date, at: Date): Date => (at < earliest ? earliest : at)
export const notAfter = (latest: Date, at: Date): Date => (at > latest ? latest : at)
