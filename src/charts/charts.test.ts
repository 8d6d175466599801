import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartsOf, savedByReminders } from './charts.ts'
import { daysBetween } from './days.ts'
import { type Counts, type Group, filterGroups } from './figures.ts'

const group = (day: string, counts: Counts, of: Partial<Group> = {}): Group => ({
  day,
  senderId: 's1',
  template: 'login_code',
  language: 'en',
  counts,
  ...of,
})

const days = daysBetween('2026-02-27', '2026-03-01')

test('days without data are zeros, in order and across months', () => {
  const { messages } = chartsOf(days, [group('2026-02-28', { 'message.otp': 3, 'message.cod': 1 })])
  assert.deepEqual(messages, [
    { day: '2026-02-27', otp: 0, cod: 0 },
    { day: '2026-02-28', otp: 3, cod: 1 },
    { day: '2026-03-01', otp: 0, cod: 0 },
  ])
})

test('funnel steps include later ones; neither sent nor failed is open', () => {
  const counts = {
    'message.otp': 20,
    'otp.queued': 2,
    'otp.sending': 1,
    'otp.sent': 3,
    'otp.delivered': 4,
    'otp.read': 5,
    'otp.failed': 5,
  }
  const { funnel } = chartsOf(days, [group(days[0] ?? '', counts)])
  const { accepted, sent, delivered, read, failed, open } = funnel
  assert.deepEqual(
    { accepted, sent, delivered, read, failed, open },
    {
      accepted: 20,
      sent: 12,
      delivered: 9,
      read: 5,
      failed: 5,
      open: 3,
    },
  )
  assert.equal(funnel.took.sent, null)
})

test('latencies of several days add up to one histogram', () => {
  const groups = [group(days[0] ?? '', { 'took.sent.4': 9 }), group(days[2] ?? '', { 'took.sent.20': 1 })]
  const { took } = chartsOf(days, groups).funnel
  assert.equal(took.sent?.of, 10)
  assert.ok((took.sent?.p50Ms ?? 0) < 5_000 && (took.sent?.p95Ms ?? 0) > 500_000)
})

test('failures and reasons are ordered by frequency; a missing reason is null', () => {
  const counts = {
    'failure.UNKNOWN': 1,
    'failure.RECIPIENT_UNREACHABLE': 7,
    'reason.': 2,
    'reason.Too late. Really': 3,
  }
  const { failures, reasons } = chartsOf(days, [group(days[0] ?? '', counts)])
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['RECIPIENT_UNREACHABLE', 'UNKNOWN'],
  )
  assert.deepEqual(reasons, [
    { reason: 'Too late. Really', count: 3 },
    { reason: null, count: 2 },
  ])
})

test('every confirmation appears under exactly one status', () => {
  const counts = {
    'confirmation.confirmed': 5,
    'confirmation.cancelled': 2,
    'confirmation.rescheduled': 1,
    'confirmation.no_response': 1,
    'confirmation.failed': 1,
    'confirmation.awaiting_answer': 2,
    'confirmation.rescheduling': 1,
    'confirmation.accepted': 1,
    confirmation_reminded: 4,
    confirmation_answered_reminded: 2,
  }
  const { confirmations, reminder } = chartsOf(days, [group(days[0] ?? '', counts)])
  const { requested, ...answers } = confirmations
  assert.equal(requested, 14)
  assert.equal(
    Object.values(answers).reduce((sum, each) => sum + each, 0),
    requested,
  )
  assert.deepEqual(reminder, { reminded: 4, answered: 2 })
})

test('a filter keeps only its matches, and an empty one keeps all', () => {
  const groups = [
    group('d', {}),
    group('d', {}, { senderId: 's2' }),
    group('d', {}, { template: 'order', language: 'ar' }),
  ]
  assert.equal(filterGroups(groups, {}).length, 3)
  assert.equal(filterGroups(groups, { senderId: 's1' }).length, 2)
  assert.deepEqual(filterGroups(groups, { senderId: 's1', language: 'ar' }), [groups[2]])
})

test('orders that customers confirmed only after a reminder are mentioned from 5 on', () => {
  const day = (count: number) => ({
    day: '2026-11-24',
    senderId: '',
    template: '',
    language: '',
    counts: { confirmation_confirmed_reminded: count },
  })
  assert.equal(savedByReminders([day(2), day(2)]), null)
  assert.equal(savedByReminders([day(2), day(3)]), 5)
  assert.equal(savedByReminders([]), null)
})
