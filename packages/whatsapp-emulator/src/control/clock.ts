import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { ControlError } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { exactlyOne } from '../messages/script.ts'
import type { Parts } from '../parts.ts'
import type { PlannedTimer } from '../time/timers.ts'
import type { Due, DueAnswer, DueKind, FirstDue, HappenedCounts, ClockMove } from '../wire/chats.ts'
import type { Live } from './live.ts'
import { timeOf } from './views.ts'

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }
const SPAN = /^(?:\d{1,9}[smhd])+$/
/** How often pages get the time during a move. */
const TIME_SENT_EVERY_MS = 200
/** Instants are whole milliseconds, delays are not: a move to the shown instant must reach the delay. */
const ROUNDING_MS = 2

const moveSchema = z
  .strictObject({
    /** A span: "90s", "15m", "23h", "2d", "1d12h". */
    by: z.string().regex(SPAN, 'is no span; write one such as 90s, 15m, 23h, 2d or 1d12h').transform(msOf).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(...exactlyOne('by', 'to'))

export type MoveSeed = z.input<typeof moveSchema>
/** A customer's WhatsApp id, and the id of a business number. */
type PairOfIds = { waId: string; numberId: string }

/** The time, and what is due in this chat, including the end of its service window, and elsewhere. */
export function listDue(parts: Parts, pair: PairOfIds | undefined): DueAnswer {
  const chat: Due[] = pair === undefined ? [] : windowOf(parts, pair)
  const first = new Map<DueKind, FirstDue>()
  for (const due of parts.timers.due().map((planned) => dueOf(parts, planned))) {
    const ofKind = first.get(due.kind)
    if (pair !== undefined && isOfChat(due, pair)) chat.push(due)
    else if (ofKind === undefined) first.set(due.kind, { ...due, count: 1 })
    else ofKind.count++
  }
  chat.sort((one, other) => one.inMs - other.inMs)
  return { ...timeOf(parts), chat: chat.slice(0, EMULATOR_LIMITS.dueShown), due: [...first.values()] }
}

const isOfChat = ({ phone, number }: Due, { waId, numberId }: PairOfIds): boolean =>
  phone === `+${waId}` && (number === null || number === numberId)

function windowOf(parts: Parts, { waId, numberId }: PairOfIds): Due[] {
  const now = parts.now()
  const until = parts.windows.openUntil(numberId, waId, now)
  if (until === undefined) return []
  const at = new Date(until).toISOString()
  return [{ id: 'window', kind: 'window', what: '', at, inMs: until - now, phone: `+${waId}`, number: numberId }]
}

function dueOf({ now }: Parts, { id, due, inMs }: PlannedTimer): Due {
  const left = Math.max(0, Math.ceil(inMs)) + ROUNDING_MS
  return { id, ...due, at: new Date(now() + left).toISOString(), inMs: left }
}

export function createTimeMachine(parts: Parts, live: Live) {
  const { clock, idle, outbox, scripts, storage, timers } = parts
  let isMoving = false

  /** Everything started has been answered; more may be scheduled. */
  const whenSettled = (): Promise<void> => idle.until(() => outbox.underWay().length === 0 && scripts.acting === 0)

  return {
    /** Resolves when nothing is scheduled, waiting to be posted or being posted, and no customer is about to answer. */
    idle: (): Promise<void> => idle.until(() => timers.waiting === 0 && outbox.busy === 0 && scripts.acting === 0),

    /**
     * Moves the clock forward, by a span such as '23h' or to an instant, from one due plan to the next: what each starts is
     * answered before the clock goes on. What a business does after its answer takes real time and is not awaited.
     */
    moveClock: async (
      move: MoveSeed,
      { takesMs = EMULATOR_LIMITS.clockMoveTakesMs }: { takesMs?: number } = {},
    ): Promise<ClockMove> => {
      const requestedMs = readSpan(parts, move)
      if (isMoving) throw new ControlError('the clock is being moved already; wait until it is there', 409)
      isMoving = true
      const from = parts.now()
      const before = countsOf(parts, from)
      const late = AbortSignal.timeout(takesMs)
      const untilLate = new Promise((resolve) => late.addEventListener('abort', resolve))
      let leftMs = requestedMs
      try {
        for (;;) {
          await nextTurn() // so that connections are served in between, and the wait may end
          await Promise.race([whenSettled(), untilLate])
          if (late.aborted) break
          const nextMs = timers.nextInMs ?? Number.POSITIVE_INFINITY
          if (leftMs === 0 && nextMs > 0) break
          const stepMs = Math.min(leftMs, nextMs)
          clock.move(stepMs)
          storage.touch()
          leftMs -= stepMs
          timers.runDue()
          live.sendTime(TIME_SENT_EVERY_MS)
        }
      } finally {
        isMoving = false
        live.sendTime()
      }
      const after = Object.entries(countsOf(parts, from)) as [keyof HappenedCounts, number][]
      const happened = Object.fromEntries(after.map(([name, count]) => [name, count - before[name]])) as HappenedCounts
      return { ...timeOf(parts), requestedMs, movedMs: Math.round(requestedMs - leftMs), happened }
    },
  }
}

function readSpan(parts: Parts, move: MoveSeed): number {
  const { by, to } = moveSchema.parse(move)
  const { movedAt, aheadMs } = timeOf(parts)
  if (movedAt !== null)
    throw new ControlError(`another program controls this emulator’s clock; move it at ${movedAt}`, 409)
  // An instant that has passed needs no move.
  const requestedMs = by ?? Math.max(0, Date.parse(to ?? '') - parts.now())
  const { clockMoveMs, clockAheadMs } = EMULATOR_LIMITS
  if (requestedMs > clockMoveMs)
    throw new ControlError(`the clock moves by at most ${clockMoveMs / DAY_MS} days in one move`)
  const days = clockAheadMs / DAY_MS
  if (aheadMs + requestedMs <= clockAheadMs) return requestedMs
  throw new ControlError(`the clock can be ${days} days ahead at most; start a new emulator to go on`, 409)
}

function msOf(span: string): number {
  const parts = span.matchAll(/(\d+)([smhd])/g)
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
}

/** Service windows: those that ended after `from`. */
const countsOf = ({ counts, delivery, outbox, windows, now }: Parts, from: number): HappenedCounts => ({
  statuses: delivery.counts.statuses,
  answers: counts.inbound,
  expiries: delivery.counts.expired,
  reviews: counts.reviewed,
  webhooks: outbox.counts.attempts,
  windows: windows.countEnds(from, now()),
})
