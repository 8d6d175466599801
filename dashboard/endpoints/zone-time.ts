/** `2026-05-03T14:30` in an IANA zone, as a datetime-local field has it, and back. */
export function localIn(instant: string, timeZone: string): string {
  const parts = partsIn(new Date(instant), timeZone)
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`
}

/** Returns undefined if it is not a valid time. A time that a clock change skips is moved forward by the length of the change. */
export function instantOf(local: string, timeZone: string): string | undefined {
  const asIfUtc = Date.parse(`${local}Z`)
  if (local === '' || Number.isNaN(asIfUtc)) return undefined
  // The offset before and after a change of clocks may differ: the second lookup is on the right side of it.
  const first = asIfUtc - offsetAt(asIfUtc, timeZone)
  const second = asIfUtc - offsetAt(first, timeZone)
  const isSkipped = second + offsetAt(second, timeZone) !== asIfUtc
  return new Date(isSkipped ? Math.max(first, second) : second).toISOString()
}

const MINUTE_MS = 60_000

function offsetAt(time: number, timeZone: string): number {
  const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS
  return Date.parse(`${localIn(new Date(minute).toISOString(), timeZone)}Z`) - minute
}

function partsIn(date: Date, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat('en-u-nu-latn-ca-iso8601', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]))
}

/** The first instant of a day such as `2026-05-03`, or of the day after it. */
export const startOf = (day: string | undefined, timeZone: string): string | undefined =>
  day === undefined ? undefined : instantOf(`${day}T00:00`, timeZone)

export const endOf = (day: string | undefined, timeZone: string): string | undefined =>
  day === undefined ? undefined : instantOf(`${dayAfter(day)}T00:00`, timeZone)

export function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}
