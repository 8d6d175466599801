import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { ControlError } from './control-error.ts'
import { timeOf } from './due.ts'
import { isOne } from './inbound.ts'
import { TWIN_LIMITS } from './limits.ts'
import { whenSettled } from './parts.ts'
import type { Parts } from './parts.ts'
import type { Happened, Moved } from './phone/due.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SPAN = /^(?:\d{1,9}[smhd])+$/
const DAY_MS = 86_400_000
/** Whoever looks on needs to know no oftener how far it has come. */
const TOLD_EVERY_MS = 200

export const moveSchema = z
  .strictObject({
    /** A span: "90s", "15m", "23h", "2d", "1d12h". */
    by: z.string().regex(SPAN, 'is no span; write one such as 90s, 15m, 23h, 2d or 1d12h').transform(msOf).optional(),
    /** An instant of the twin's time. */
    to: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ by, to }) => isOne([by, to]), { message: 'give exactly one of by and to' })

export type MoveSeed = z.input<typeof moveSchema>

/**
 * Moves the clock forward, from one thing that is due to the next: each happens, and what it set going is answered,
 * before the clock goes on. What a business does after it has answered takes real time and is not waited for.
 */
export async function moveClock(
  parts: Parts,
  given: MoveSeed,
  { takesMs = TWIN_LIMITS.clockMoveTakesMs }: { takesMs?: number } = {},
): Promise<Moved> {
  const { clock, timers } = parts
  const askedMs = readSpan(parts, given)
  if (parts.travel.isUnderWay) throw new ControlError('the clock is being moved already; wait until it is there', 409)
  parts.travel.isUnderWay = true
  const before = countsOf(parts)
  const from = parts.now()
  const over = new AbortController()
  let isLate = false
  const late = wait(takesMs, undefined, { signal: over.signal }).then(
    () => (isLate = true),
    () => {},
  )
  let leftMs = askedMs
  try {
    for (;;) {
      await nextTurn() // so that connections are served meanwhile, and the wait may end
      await Promise.race([whenSettled(parts), late])
      if (isLate) break
      const nextMs = timers.nextInMs ?? Number.POSITIVE_INFINITY
      if (leftMs === 0 && nextMs > 0) break
      const stepMs = Math.min(leftMs, nextMs)
      clock.move(stepMs)
      parts.changes.noteHead()
      leftMs -= stepMs
      timers.runDue()
      parts.live.tellTime(parts, TOLD_EVERY_MS)
    }
  } finally {
    over.abort()
    parts.travel.isUnderWay = false
    parts.live.tellTime(parts)
  }
  const happened = { ...happenedSince(parts, before), windows: parts.windows.countEnds(from, parts.now()) }
  return { ...timeOf(parts), askedMs, movedMs: Math.round(askedMs - leftMs), happened }
}

function readSpan(parts: Parts, given: MoveSeed): number {
  const { by, to } = moveSchema.parse(given)
  const { movedAt, aheadMs } = timeOf(parts)
  if (movedAt !== null) throw new ControlError(`this twin’s time is not its own; it is moved at ${movedAt}`, 409)
  // What has come meanwhile needs no move.
  const askedMs = by ?? Math.max(0, Date.parse(to ?? '') - parts.now())
  const { clockMoveMs, clockAheadMs } = TWIN_LIMITS
  if (askedMs > clockMoveMs) throw new ControlError(`the clock moves by ${clockMoveMs / DAY_MS} days at once at most`)
  if (aheadMs + askedMs > clockAheadMs) {
    throw new ControlError(
      `the clock can be ${clockAheadMs / DAY_MS} days ahead at most; start a twin anew to go on`,
      409,
    )
  }
  return askedMs
}

function msOf(span: string): number {
  const parts = Array.from(
    span.matchAll(/(\d+)([smhd])/g),
    ([, count, unit]) => Number(count) * (UNITS[unit ?? ''] ?? 0),
  )
  return parts.reduce((sum, ms) => sum + ms, 0)
}

type Counts = Omit<Happened, 'windows'>

const countsOf = ({ counts, delivery, outbox }: Parts): Counts => ({
  statuses: delivery.counts.statuses,
  answers: counts.inbound,
  expiries: delivery.counts.expired,
  reviews: counts.reviewed,
  webhooks: outbox.counts.attempts,
})

function happenedSince(parts: Parts, before: Counts): Counts {
  const after = countsOf(parts)
  return {
    statuses: after.statuses - before.statuses,
    answers: after.answers - before.answers,
    expiries: after.expiries - before.expiries,
    reviews: after.reviews - before.reviews,
    webhooks: after.webhooks - before.webhooks,
  }
}
