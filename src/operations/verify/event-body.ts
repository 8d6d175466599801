import { z } from 'zod'
import type { EventRow } from '../../explain/rows.ts'
import type { ClockSpread } from '../../workspaces/workspace-time.ts'
import { type Difference, NO_CLOCK, compared, difference, isSameValue } from './differences.ts'

export type Members = Readonly<Record<string, unknown>>

/** `data`: for each member of the body's `data`, its value, its own members or a schema. Retention removes bodies. */
type DerivedEvent = { at: Date; data: Members; clock: ClockSpread }

export function compareEvent(
  { id, type, occurredAt, body }: EventRow,
  { at, data, clock }: DerivedEvent,
): Difference[] {
  const found = compared(id, { code: 'verify.event_time' }, { stored: occurredAt, derived: at, clock })
  if (found.length > 0 || body === '') return found
  const timestamp = occurredAt.toISOString()
  const stored = readBody(body)
  const member =
    firstWrong(stored, { type, timestamp, data: z.unknown() }, NO_CLOCK) ??
    // A sandbox's clock may have shown another time when the time was stored.
    firstWrong(stored.data, { ...data, occurredAt: timestamp }, clock)
  return member === undefined ? [] : [difference(id, { code: 'verify.event_body', type, member })]
}

export const withoutCause = ({ id, type }: EventRow): Difference =>
  difference(id, { code: 'verify.event_without_cause', type })

/** The first member that differs or is missing on one side. */
function firstWrong(stored: Members, derived: Members, clock: ClockSpread): string | undefined {
  const names = new Set([...Object.keys(derived), ...Object.keys(stored)])
  return [...names].find((name) => {
    const [one, other] = [stored[name], derived[name]]
    // The words of a failure may change from one release to the next.
    if (name === 'message') return typeof one !== typeof other
    return !(name in stored && name in derived && isSame(one, other, clock))
  })
}

function isSame(stored: unknown, derived: unknown, clock: ClockSpread): boolean {
  if (derived instanceof z.ZodType) return derived.safeParse(stored).success
  if (isMembers(stored) && isMembers(derived)) return firstWrong(stored, derived, clock) === undefined
  const [one, other] = [timeOf(stored), timeOf(derived)]
  return stored === derived || (one !== null && other !== null && isSameValue(one, other, clock))
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const timeOf = (value: unknown): Date | null =>
  z.iso.datetime().safeParse(value).success ? new Date(value as string) : null

/** Never throws: a body that is not what Doorcode writes has no members. */
export function readBody(text: string): Members & { data: Members } {
  try {
    const body: unknown = JSON.parse(text)
    if (isMembers(body) && isMembers(body['data'])) return { ...body, data: body['data'] }
  } catch {
    // it is not JSON
  }
  return { data: {} }
}
