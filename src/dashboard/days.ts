/** The first instant of a day such as `2026-11-25` in a zone: not always midnight. */
export const beginOfDay = (date: string, timeZone: string): Date =>
  new Date(Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds)

/** The first instant that does not belong to the day any more. */
export const endOfDay = (date: string, timeZone: string): Date =>
  new Date(Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds)
