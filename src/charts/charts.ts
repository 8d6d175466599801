import { failures } from '../providers/failures.ts'
import type { FailureCode } from '../providers/provider.ts'
import type { Day } from './days.ts'
import { type Counts, type Group, countOf, countsBehind, spreadOf, sumOf } from './figures.ts'
import { ANSWER_BOUNDS_MS, LATENCY_BOUNDS_MS, percentile } from './spread.ts'

/** Half took no longer than p50, 19 of 20 no longer than p95. Null: of none it is known. */
export type Latency = { p50Ms: number; p95Ms: number; of: number } | null

export type Charts = ReturnType<typeof chartsOf>

/** What the charts show of these days; a day without anything is zero. */
export function chartsOf(days: readonly Day[], groups: readonly Group[]) {
  const all = sumOf(groups)
  const each = days.map((day) => ({ day, counts: sumOf(groups.filter((group) => group.day === day)) }))
  return {
    messages: each.map(({ day, counts }) => ({
      day,
      otp: countOf(counts, 'message.otp'),
      cod: countOf(counts, 'message.cod'),
    })),
    funnel: funnelOf(all),
    failures: failuresOf(all),
    orders: ordersOf(all),
    ordersByDay: each.map(({ day, counts }) => ({ day, ...ordersOf(counts) })),
    answerTimes: spreadOf(all, 'answer.', ANSWER_BOUNDS_MS).map((count, place) => ({
      uptoMs: ANSWER_BOUNDS_MS[place] ?? null,
      count,
    })),
    reminder: reminderOf(all),
    refusals: refusalsOf(all),
    reasons: reasonsOf(all),
  }
}

const SENT = ['otp.sent', 'otp.delivered', 'otp.read', 'otp.played']

function funnelOf(counts: Counts) {
  const accepted = countOf(counts, 'message.otp')
  const sent = countOf(counts, ...SENT)
  const failed = countOf(counts, 'otp.failed')
  return {
    accepted,
    sent,
    delivered: countOf(counts, ...SENT.slice(1)),
    read: countOf(counts, ...SENT.slice(2)),
    failed,
    /** Queued, or on the way to WhatsApp. */
    open: accepted - sent - failed,
    took: {
      sent: latencyOf(counts, 'took.sent.'),
      delivered: latencyOf(counts, 'took.delivered.'),
      read: latencyOf(counts, 'took.read.'),
    },
  }
}

function latencyOf(counts: Counts, beginning: string): Latency {
  const spread = spreadOf(counts, beginning, LATENCY_BOUNDS_MS)
  const [p50Ms, p95Ms] = [percentile(spread, 0.5), percentile(spread, 0.95)]
  if (p50Ms === undefined || p95Ms === undefined) return null
  return { p50Ms, p95Ms, of: spread.reduce((sum, count) => sum + count, 0) }
}

const FAILURE_CODES = Object.keys(failures) as FailureCode[]

/** The most frequent first. */
const failuresOf = (counts: Counts): { code: FailureCode; count: number }[] =>
  FAILURE_CODES.map((code) => ({ code, count: countOf(counts, `failure.${code}`) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)

const ordersOf = (counts: Counts) => ({
  asked: countsBehind(counts, 'order.').reduce((sum, [, count]) => sum + count, 0),
  confirmed: countOf(counts, 'order.confirmed'),
  cancelled: countOf(counts, 'order.cancelled'),
  rescheduled: countOf(counts, 'order.rescheduled'),
  noResponse: countOf(counts, 'order.no_response'),
  failed: countOf(counts, 'order.failed'),
  open: countOf(counts, 'order.accepted', 'order.awaiting_answer', 'order.rescheduling'),
})

function reminderOf(counts: Counts) {
  const [answered, reminded] = [countOf(counts, 'order_answered'), countOf(counts, 'order_reminded')]
  const after = countOf(counts, 'order_answered_reminded')
  return { answered, reminded, answeredAfter: after, answeredBefore: answered - after }
}

const refusalsOf = (counts: Counts) => ({
  asked: countsBehind(counts, 'refusal.').reduce((sum, [, count]) => sum + count, 0),
  refused: countOf(counts, 'refusal.refusal_confirmed'),
  denied: countOf(counts, 'refusal.denied'),
  noResponse: countOf(counts, 'refusal.no_response'),
  failed: countOf(counts, 'refusal.failed'),
  open: countOf(
    counts,
    'refusal.accepted',
    'refusal.awaiting_answer',
    'refusal.awaiting_reason',
    'refusal.awaiting_note',
  ),
})

/** More than a settings page holds: reasons of earlier settings count as well. */
const REASONS_MOST = 15

/** The most frequent first. Null: the customer refused and gave none. */
const reasonsOf = (counts: Counts): { reason: string | null; count: number }[] =>
  countsBehind(counts, 'reason.')
    .map(([reason, count]) => ({ reason: reason === '' ? null : reason, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, REASONS_MOST)
