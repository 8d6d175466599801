import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type TimelineEntry,
  byDay,
  cutAtInstants,
  isMuted,
  isToCome,
  marksOf,
  groupsOf,
  latestPerDelivery,
  reportedAfterMs,
} from './marks.ts'

const entry = (fields: Partial<TimelineEntry>): TimelineEntry => ({
  at: '2026-11-20T10:00:00.000Z',
  what: 'report',
  detail: { code: 'text', text: '' },
  ...fields,
})

const utcDay = (at: Date): string => at.toISOString().slice(0, 10)

test('only an ignored report is muted and marked as ignored', () => {
  const ignored = entry({ report: 'sent', outcome: 'ignored' })
  assert.equal(isMuted(ignored), true)
  assert.deepEqual(marksOf(ignored), [
    { status: 'sent', colour: 'neutral' },
    { word: 'ignored', colour: 'neutral' },
  ])
  assert.equal(isMuted(entry({ report: 'sent', outcome: 'applied' })), false)
})

test('a webhook shows its HTTP status, no response, or that it is upcoming', () => {
  const webhook = (fields: Record<string, unknown>): TimelineEntry => entry({ what: 'webhook', ...fields })
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 204, error: null })), [
    { text: 'HTTP 204', colour: 'neutral' },
  ])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 500, error: null })), [
    { text: 'HTTP 500', colour: 'failure' },
  ])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: null })), [{ word: 'no_answer', colour: 'failure' }])
  const pending = webhook({ status: 'pending' })
  assert.deepEqual(marksOf(pending), [{ word: 'to_come', colour: 'neutral' }])
  assert.equal(isToCome(pending), true)
})

test('an event that reports a failure stands out, also where its webhook arrived', () => {
  assert.deepEqual(marksOf(entry({ what: 'event', type: 'message.failed' })), [
    { text: 'message.failed', colour: 'failure' },
  ])
  assert.deepEqual(marksOf(entry({ what: 'event', type: 'message.sent' })), [
    { text: 'message.sent', colour: 'neutral' },
  ])
})

test('an unknown outcome shows nothing and does not fail', () => {
  assert.deepEqual(marksOf(entry({ what: 'attempt', outcome: 'constructor' })), [])
})

test('entries are grouped by day, each with the time since the previous one', () => {
  const days = byDay(
    [
      entry({ at: '2026-11-20T23:59:59.500Z' }),
      entry({ at: '2026-11-20T23:59:59.500Z' }),
      entry({ at: '2026-11-21T00:00:01.500Z' }),
    ],
    utcDay,
  )
  assert.deepEqual(
    days.map(({ day, entries }) => [day, entries.map(({ sinceMs }) => sinceMs)]),
    [
      ['2026-11-20', [undefined, undefined]],
      ['2026-11-21', [2_000]],
    ],
  )
})

test('a sentence is cut at the instants in it and loses nothing', () => {
  const sentence = 'tried again at 2026-11-20T12:00:04.000Z, then 2026-11-20T12:01:04Z.'
  const parts = cutAtInstants(sentence)
  assert.deepEqual([parts[1], parts[3]], ['2026-11-20T12:00:04.000Z', '2026-11-20T12:01:04Z'])
  assert.equal(parts.join(''), sentence)
})

/** An entry some seconds after the start. */
const step = (seconds: number, what: TimelineEntry['what'], members: object = {}): TimelineEntry => ({
  at: `2026-11-20T10:00:0${seconds}.000Z`,
  what,
  detail: { code: 'text', text: '' },
  ...members,
})

test('a message keeps its attempts and reports, and an event its webhooks', () => {
  const groups = groupsOf([
    step(0, 'request'),
    step(1, 'message', { messageId: 'one' }),
    step(2, 'attempt', { messageId: 'one' }),
    step(3, 'event', { eventId: 'e' }),
    step(4, 'message', { messageId: 'two' }),
    step(5, 'report', { messageId: 'one', outcome: 'applied' }),
    step(6, 'webhook', { eventId: 'e' }),
    step(7, 'report', { messageId: 'one', outcome: 'ignored' }),
  ])
  assert.deepEqual(
    groups.map(({ head, rest }) => [head.what, ...rest.map(({ what }) => what)]),
    [['request'], ['message', 'attempt', 'report', 'report'], ['event', 'webhook'], ['message']],
  )
  assert.deepEqual(groups.map(reportedAfterMs), [undefined, 4_000, undefined, undefined])
})

test('steps of a message without an entry of its own are entries', () => {
  const steps = [step(1, 'attempt', { messageId: 'otp' }), step(2, 'report', { messageId: 'otp' })]
  assert.deepEqual(
    groupsOf(steps).map(({ head }) => head),
    steps,
  )
})

test('an event shows one result per delivery: the latest attempt', () => {
  const [first, retry] = [1, 2].map((second) => step(second, 'webhook', { deliveryId: 'a', httpStatus: 404 }))
  const upcoming = step(3, 'webhook', { deliveryId: 'a', status: 'pending' })
  const untried = step(3, 'webhook', { deliveryId: 'b', status: 'pending' })
  assert.ok(first && retry)
  assert.deepEqual(latestPerDelivery([first, retry, upcoming, untried]), [retry, untried])
})
