import { z } from 'zod'
import type { EventRow } from '../../explain/rows.ts'
import { failureSchema } from '../../providers/failure-schema.ts'
import { type Difference, compared, difference, isSameValue } from './differences.ts'

export type Members = Readonly<Record<string, unknown>>

/** For what only the body shows: its form is checked. */
const formOf =
  (schema: z.ZodType) =>
  (stored: unknown): boolean =>
    schema.safeParse(stored).success

export const oneOf = (values: readonly string[]) => formOf(z.enum(values))

/** The words of a failure may change from one release to the next. */
export const failureOf = (code: string | null | undefined): Members | null =>
  code ? { code, message: formOf(z.string()) } : null

/** A failure whose code is not derived. */
export const anyFailure = formOf(failureSchema)

/** `data`: of the body, with a value, members of their own, or a check of the value for each member. Retention removes bodies. */
type DerivedEvent = { at: Date; data: Members; aheadMs: number }

export function checkEvent(
  { id, type, occurredAt, body }: EventRow,
  { at, data, aheadMs }: DerivedEvent,
): Difference[] {
  const found = compared(id, { code: 'verify.event_time' }, { stored: occurredAt, derived: at, aheadMs })
  if (found.length > 0 || body === '') return found
  const timestamp = occurredAt.toISOString()
  const stored = readBody(body)
  const member =
    firstWrong(stored, { type, timestamp, data: () => true }, 0) ??
    // A sandbox's clock may have been less far ahead when the time was stored.
    firstWrong(stored.data, { ...data, occurredAt: timestamp }, aheadMs)
  return member === undefined ? [] : [difference(id, { code: 'verify.event_body', type, member })]
}

/** The first member that differs, or that one of them does not have. */
function firstWrong(stored: Members, derived: Members, aheadMs: number): string | undefined {
  const names = new Set([...Object.keys(derived), ...Object.keys(stored)])
  return [...names].find((name) => !(name in stored && name in derived && isSame(stored[name], derived[name], aheadMs)))
}

function isSame(stored: unknown, derived: unknown, aheadMs: number): boolean {
  if (typeof derived === 'function') return (derived as (value: unknown) => boolean)(stored)
  if (isMembers(stored) && isMembers(derived)) return firstWrong(stored, derived, aheadMs) === undefined
  const [one, other] = [timeOf(stored), timeOf(derived)]
  return stored === derived || (one !== null && other !== null && isSameValue(one, other, aheadMs))
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
