import { z } from 'zod'
import { failureSchema } from '../../providers/failure-schema.ts'
import { isSameTime } from './differences.ts'

type Members = Readonly<Record<string, unknown>>

/** What is compared with a member of a body: a value, members of their own, or a check of the value. */
type Derived = { type: string; at: Date; data: Members }

/** For what only the body shows: its form is checked. */
const formOf =
  (schema: z.ZodType) =>
  (stored: unknown): boolean =>
    schema.safeParse(stored).success

export const oneOf = (values: readonly string[]) => formOf(z.enum(values))

/** The words of a failure may change from one release to the next. */
export const failureOf = (code: string | null): Members | null =>
  code === null ? null : { code, message: formOf(z.string()) }

/** A failure whose code is not derived. */
export const anyFailure = formOf(failureSchema)

/** The first member of an event's body that differs from what the rows give, or that one of them does not have. */
export function wrongMember(body: string, { type, at, data }: Derived, aheadMs: number): string | undefined {
  const occurredAt = at.toISOString()
  const stored = readBody(body)
  return (
    firstWrong(stored, { type, timestamp: occurredAt, data: () => true }, 0) ??
    // A sandbox's clock may have been less far ahead when the time was stored.
    firstWrong(stored.data, { ...data, occurredAt }, aheadMs)
  )
}

function firstWrong(stored: Members, derived: Members, aheadMs: number): string | undefined {
  const names = new Set([...Object.keys(derived), ...Object.keys(stored)])
  return [...names].find((name) => !(name in stored && name in derived && isSame(stored[name], derived[name], aheadMs)))
}

function isSame(stored: unknown, derived: unknown, aheadMs: number): boolean {
  if (typeof derived === 'function') return (derived as (value: unknown) => boolean)(stored)
  if (isMembers(stored) && isMembers(derived)) return firstWrong(stored, derived, aheadMs) === undefined
  const [one, other] = [timeOf(stored), timeOf(derived)]
  return stored === derived || (one !== null && other !== null && isSameTime(one, other, aheadMs))
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const timeOf = (value: unknown): Date | null =>
  z.iso.datetime().safeParse(value).success ? new Date(value as string) : null

type EventBody = Members & { data: Members }

/** Never throws: a body that is not what Doorcode writes has no members. */
export function readBody(text: string): EventBody {
  try {
    const body: unknown = JSON.parse(text)
    if (isMembers(body) && isMembers(body['data'])) return { ...body, data: body['data'] }
  } catch {
    // it is not JSON
  }
  return { data: {} }
}
