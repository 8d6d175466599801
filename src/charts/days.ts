/** `2026-11-25` */
export type Day = string

export const dayAt = (at: Date, timeZone: string): Day =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString()

/** The first instant of a day: not always midnight. */
export const startOfDay = (day: Day, timeZone: string): Date =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds)

/** The offsets from UTC between two instants, in order, each with the instant since which it holds. */
export function offsetsBetween(from: Date, until: Date, timeZone: string): { since: Date; seconds: number }[] {
  const offsets = []
  let at: Temporal.ZonedDateTime | null | undefined = Temporal.Instant.fromEpochMilliseconds(
    from.getTime(),
  ).toZonedDateTimeISO(timeZone)
  for (; at && at.epochMilliseconds < until.getTime(); at = at.getTimeZoneTransition('next'))
    offsets.push({ since: new Date(at.epochMilliseconds), seconds: at.offsetNanoseconds / 1e9 })
  return offsets
}

/** The same time of an earlier day. */
export const daysEarlier = (at: Date, days: number, timeZone: string): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).subtract({ days })
      .epochMilliseconds,
  )

export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString()

/**
 * Includes both days; empty when the first is later. Days are counted, because the day after 9999-12-31 would sort
 * before it as text.
 */
export function daysBetween(from: Day, to: Day): Day[] {
  const { days } = Temporal.PlainDate.from(from).until(to)
  return Array.from({ length: Math.max(0, days + 1) }, (_, index) => addDays(from, index))
}
