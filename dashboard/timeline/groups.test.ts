import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TimelineEntry, groupsOf, latestPerDelivery, reportedAfterMs } from './marks.ts'

const entry = (seconds: number, what: TimelineEntry['what'], members: object = {}): TimelineEntry => ({
  at: `2026-11-20T10:00:0${seconds}.000Z`,
  what,
  detail: { code: 'text', text: '' },
  ...members,
})

test('a message keeps its attempts and reports, and an event its webhooks', () => {
  const groups = groupsOf([
    entry(0, 'request'),
    entry(1, 'message', { messageId: 'one' }),
    entry(2, 'attempt', { messageId: 'one' }),
    entry(3, 'event', { eventId: 'e' }),
    entry(4, 'message', { messageId: 'two' }),
    entry(5, 'report', { messageId: 'one', outcome: 'applied' }),
    entry(6, 'webhook', { eventId: 'e' }),
    entry(7, 'report', { messageId: 'one', outcome: 'ignored' }),
  ])
  assert.deepEqual(
    groups.map(({ head, rest }) => [head.what, ...rest.map(({ what }) => what)]),
    [['request'], ['message', 'attempt', 'report', 'report'], ['event', 'webhook'], ['message']],
  )
  assert.deepEqual(groups.map(reportedAfterMs), [undefined, 4_000, undefined, undefined])
})

test('steps of a message without an entry of its own are entries', () => {
  const steps = [entry(1, 'attempt', { messageId: 'otp' }), entry(2, 'report', { messageId: 'otp' })]
  assert.deepEqual(
    groupsOf(steps).map(({ head }) => head),
    steps,
  )
})

test('an event shows one result per delivery: the latest attempt', () => {
  const [first, retry] = [1, 2].map((second) => entry(second, 'webhook', { deliveryId: 'a', httpStatus: 404 }))
  const upcoming = entry(3, 'webhook', { deliveryId: 'a', status: 'pending' })
  const untried = entry(3, 'webhook', { deliveryId: 'b', status: 'pending' })
  assert.ok(first && retry)
  assert.deepEqual(latestPerDelivery([first, retry, upcoming, untried]), [retry, untried])
})
