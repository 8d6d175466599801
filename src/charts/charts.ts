import { FAILURE_CODES } from '../providers/failure-codes.ts'
import type { Day } from './days.ts'
import { type Counts, type Group, countOf, countsByPrefix, histogramOf, sumOf, totalOf } from './figures.ts'
import { ANSWER_BOUNDS_MS, LATENCY_BOUNDS_MS, percentile } from './histogram.ts'

/** A day without data is zero. */
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
    verifications: verificationsOf(groups),
    failures: byFrequency(FAILURE_CODES.map((code) => ({ code, count: countOf(all, `failure.${code}`) }))),
    confirmations: confirmationsOf(all),
    confirmationsByDay: each.map(({ day, counts }) => ({ day, ...confirmationsOf(counts) })),
    answerTimes: answerTimesOf(all),
    reminder: reminderOf(all),
    refusals: refusalsOf(all),
    /** A null reason: refused without one. */
    reasons: byFrequency(
      countsByPrefix(all, 'reason.').map(([reason, count]) => ({ reason: reason === '' ? null : reason, count })),
    ).slice(0, MAX_REASONS),
  }
}

/** What the charts compare with the span before theirs. */
export function spanFigures(groups: readonly Group[]) {
  const all = sumOf(groups)
  return {
    messages: countOf(all, 'message.otp', 'message.cod'),
    failures: totalOf(all, 'failure.'),
    funnel: funnelOf(all),
    verifications: conversionOf(all, ''),
    confirmations: confirmationsOf(all),
    answerTimes: answerTimesOf(all),
    reminder: reminderOf(all),
    refusals: refusalsOf(all),
  }
}

/** Fewer say nothing about reminders. */
const MIN_SAVED = 5

/** The orders that customers confirmed only after a reminder. Null if they are too few to mention. */
export function savedByReminders(groups: readonly Group[]): number | null {
  const saved = countOf(sumOf(groups), 'confirmation_confirmed_reminded')
  return saved >= MIN_SAVED ? saved : null
}

/** The figures of the latest day on which something was sent, or of today if there is no such day. */
export function latestOf(days: readonly Day[], groups: readonly Group[], today: Day) {
  const countsOf = (of: Day): Counts => sumOf(groups.filter(({ day }) => day === of))
  const day = days.findLast((each) => sentOf(countsOf(each)) > 0) ?? today
  const counts = countsOf(day)
  return { day, funnel: funnelOf(counts), confirmations: confirmationsOf(counts) }
}

const sentOf = (counts: Counts): number => countOf(counts, 'message.otp') + totalOf(counts, 'confirmation.')

/** More than the settings allow, since reasons of earlier settings count too. */
const MAX_REASONS = 15

const byFrequency = <Counted extends { count: number }>(all: readonly Counted[]): Counted[] =>
  all.filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count)

/** How many verifications of a facet were started, delivered and approved. */
const conversionOf = (counts: Counts, facet: string) => ({
  started: countOf(counts, `verification.${facet}started`),
  delivered: countOf(counts, `verification.${facet}delivered`),
  approved: countOf(counts, `verification.${facet}approved`),
})

const MAX_COUNTRIES = 15
const MAX_TEMPLATES = 15
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The largest countries and templates first; hours of the day in the delivery zone. */
function verificationsOf(groups: readonly Group[]) {
  const all = sumOf(groups)
  const countries = countsByPrefix(all, 'verification.country.').flatMap(([name]) =>
    name.endsWith('.started') ? name.slice(0, -'.started'.length) : [],
  )
  const byTemplate = Map.groupBy(groups, ({ template, language }) => JSON.stringify([template, language]))
  return {
    ...conversionOf(all, ''),
    byTemplate: byStarted(
      Array.from(byTemplate.values(), (ofTemplate) => ({
        template: ofTemplate[0]?.template ?? '',
        language: ofTemplate[0]?.language ?? '',
        ...conversionOf(sumOf(ofTemplate), ''),
      })),
    ).slice(0, MAX_TEMPLATES),
    /** Null: the number belongs to no country. */
    byCountry: byStarted(
      countries.map((country) => ({ country: country || null, ...conversionOf(all, `country.${country}.`) })),
    ).slice(0, MAX_COUNTRIES),
    byHour: HOURS.map((hour) => ({ hour, ...conversionOf(all, `hour.${hour}.`) })),
  }
}

const byStarted = <Counted extends { started: number }>(all: readonly Counted[]): Counted[] =>
  all.filter(({ started }) => started > 0).toSorted((one, other) => other.started - one.started)

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
    /** Queued or being sent. */
    open: accepted - sent - failed,
    /** `message.undelivered` went out; some of them were delivered later. */
    undelivered: countOf(counts, 'undelivered'),
    took: {
      sent: latencyOf(counts, 'took.sent.'),
      delivered: latencyOf(counts, 'took.delivered.'),
      read: latencyOf(counts, 'took.read.'),
    },
  }
}

/** Null without data. */
function latencyOf(counts: Counts, prefix: string) {
  const histogram = histogramOf(counts, prefix, LATENCY_BOUNDS_MS)
  const [p50Ms, p95Ms] = [percentile(histogram, 0.5), percentile(histogram, 0.95)]
  return p50Ms === undefined || p95Ms === undefined ? null : { p50Ms, p95Ms, of: totalOf(counts, prefix) }
}

const confirmationsOf = (counts: Counts) => ({
  requested: totalOf(counts, 'confirmation.'),
  confirmed: countOf(counts, 'confirmation.confirmed'),
  cancelled: countOf(counts, 'confirmation.cancelled'),
  rescheduled: countOf(counts, 'confirmation.rescheduled'),
  noResponse: countOf(counts, 'confirmation.no_response'),
  failed: countOf(counts, 'confirmation.failed'),
  open: countOf(counts, 'confirmation.accepted', 'confirmation.awaiting_answer', 'confirmation.rescheduling'),
})

const answerTimesOf = (counts: Counts) =>
  histogramOf(counts, 'answer.', ANSWER_BOUNDS_MS).map((count, bucket) => ({
    fromMs: ANSWER_BOUNDS_MS[bucket - 1] ?? 0,
    uptoMs: ANSWER_BOUNDS_MS[bucket] ?? null,
    count,
  }))

const reminderOf = (counts: Counts) => ({
  reminded: countOf(counts, 'confirmation_reminded'),
  answered: countOf(counts, 'confirmation_answered_reminded'),
})

const OPEN_REFUSALS = ['accepted', 'awaiting_answer', 'awaiting_reason', 'awaiting_note'].map(
  (each) => `refusal.${each}`,
)

const refusalsOf = (counts: Counts) => ({
  requested: totalOf(counts, 'refusal.'),
  refused: countOf(counts, 'refusal.refusal_confirmed'),
  denied: countOf(counts, 'refusal.denied'),
  noResponse: countOf(counts, 'refusal.no_response'),
  failed: countOf(counts, 'refusal.failed'),
  open: countOf(counts, ...OPEN_REFUSALS),
})
