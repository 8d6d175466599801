import { inEnglish } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later, MINUTE_MS } from '../lib/clock.ts'
import { FAILURE_CODES } from '../providers/failure-codes.ts'
import type { Facts } from './facts.ts'
import { type NextAction, nextAction } from './next-action.ts'
import {
  NOW,
  whatsapp,
  ago,
  delivered,
  waiting,
  underWay,
  delivery,
  of,
  rejectedWith,
  reportedWith,
  sent,
  question,
  client,
  operator,
  provider,
  customer,
  noAction,
  held,
  heldByCode,
  unavailable,
  noWorker,
  testNextActions,
} from '../../test/world/next-actions.ts'

const cases: readonly [string, Facts, NextAction][] = [
  ['a message that arrived', of(delivered), noAction('explain.why_arrived')],
  [
    'a message that was read, and whose webhook arrived',
    of({ ...delivered, status: 'read' }, { deliveries: [delivery] }),
    noAction('explain.why_arrived'),
  ],
  [
    'a message that WhatsApp holds for a phone',
    of({ ...delivered, status: 'sent' }),
    customer('explain.offline_until', { until: '2026-11-20T12:09:00.000Z' }),
  ],
  [
    'an undelivered code whose template gives it five minutes, shortly after them',
    of({ ...sent, sendTtlSeconds: 300 }),
    customer('explain.offline_until', { until: '2026-11-20T12:00:00.000Z' }),
  ],
  [
    'an undelivered code whose template gave it two minutes',
    of({ ...sent, sendTtlSeconds: 120 }),
    client('explain.dropped', { until: '2026-11-20T11:57:00.000Z' }),
  ],
  [
    'an undelivered code whose template leaves its time to WhatsApp',
    of({ ...sent, sentAt: ago(12 * MINUTE_MS) }),
    client('explain.dropped', { until: '2026-11-20T11:58:00.000Z' }),
  ],
  [
    'an undelivered code that WhatsApp keeps for 30 days',
    of({ ...sent, sentAt: ago(29 * 24 * HOUR_MS), sendTtlSeconds: -1 }),
    customer('explain.offline_until', { until: '2026-11-21T12:00:00.000Z' }),
  ],
  [
    'an undelivered question of a conversation',
    of({ ...question, sentAt: ago(29 * 24 * HOUR_MS) }),
    customer('explain.offline'),
  ],
  [
    'an undelivered question whose template gives it an hour, shortly after it',
    of({ ...question, sentAt: ago(HOUR_MS), sendTtlSeconds: 3_600 }),
    customer('explain.offline_until', { until: '2026-11-20T12:00:00.000Z' }),
  ],
  [
    'an undelivered question whose template gave it an hour',
    of({ ...question, sentAt: ago(2 * HOUR_MS), sendTtlSeconds: 3_600 }),
    client('explain.question_dropped', { until: '2026-11-20T11:00:00.000Z' }),
  ],
  [
    'a recipient whom the business blocked',
    reportedWith('RECIPIENT_NOT_ALLOWED', 130_403),
    operator('failures.remedy_130403'),
  ],
  [
    'a message that WhatsApp holds back for the day',
    reportedWith('RECIPIENT_RATE_LIMITED', 131_049),
    client('failures.remedy_131049'),
  ],
  [
    'a number whose quality is bad',
    rejectedWith('SENDER_RATE_LIMITED', { outcome: 'retry', providerCode: 131_048 }),
    operator('failures.remedy_131048'),
  ],
  ['a failure that WhatsApp reports without any error', reportedWith('UNKNOWN'), operator('explain.nothing_reported')],
  [
    'a failure with an unknown code',
    reportedWith('UNKNOWN', 999_999),
    operator('explain.look_up_unknown_code', { errorCode: 999_999 }),
  ],
  [
    'an unknown failure that WhatsApp names so, three times',
    rejectedWith('UNKNOWN', ...Array.from({ length: 3 }, () => ({ providerCode: 131_000, httpStatus: 500 }))),
    client('failures.remedy_131000'),
  ],
  ['a rejection without a code', rejectedWith('UNKNOWN', {}), operator('explain.nothing_said')],
  [
    'a code that is known and that no message should meet',
    rejectedWith('UNKNOWN', { providerCode: 131_051 }),
    operator('explain.look_up_known_code', { errorCode: 131_051, title: { code: 'failures.error_131051' } }),
  ],
  [
    'a message whose answers were lost',
    rejectedWith(
      'PROVIDER_UNAVAILABLE',
      { outcome: 'unknown', httpStatus: 502 },
      { outcome: 'unknown', httpStatus: 502 },
    ),
    client('explain.may_have_arrived'),
  ],
  [
    'a provider that had a fault until the end',
    rejectedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: 500, providerCode: 131_016 }),
    client('explain.fault_till_the_end', { errorCode: 131_016, title: { code: 'failures.error_131016' } }),
  ],
  [
    'a provider that could not be reached until the end',
    rejectedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: null }),
    client('failures.provider_unavailable_remedy'),
  ],
  [
    'a provider that answered with an unknown fault code',
    rejectedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: 500, providerCode: 999_999 }),
    client('failures.provider_unavailable_remedy'),
  ],
  [
    'a fault that WhatsApp reports after it took the message',
    reportedWith('PROVIDER_UNAVAILABLE', 131_016),
    client('explain.fault_reported', { errorCode: 131_016, title: { code: 'failures.error_131016' } }),
  ],
  ['a message that waits for its first attempt', of(waiting), noAction('explain.why_about_to_go')],
  ['an attempt under way', of(underWay), noAction('explain.why_under_way')],
  [
    'an attempt that finds out whether a hold is over',
    of({ ...underWay, breakerOpenUntil: later(NOW, 10_000), breakerCode: 131_057 }),
    noAction('explain.why_under_way'),
  ],
  [
    'an attempt under way of a sender that was paused meanwhile',
    of({ ...underWay, senderPaused: true }),
    noAction('explain.why_under_way'),
  ],
  [
    'an attempt whose process died, of a sender that was paused meanwhile',
    of({ ...underWay, dueAt: ago(1_000), senderPaused: true }),
    unavailable('paused'),
  ],
  [
    'an attempt whose process died, and has no follow-up',
    of({ ...underWay, dueAt: ago(2 * MINUTE_MS) }, { works: false }),
    noWorker('2026-11-20T11:58:00.000Z'),
  ],
  [
    'a retry that waits',
    of({ ...waiting, attempts: 2, dueAt: later(NOW, 4_000) }),
    noAction('explain.why_tried_again', { dueAt: '2026-11-20T12:00:04.000Z' }),
  ],
  [
    'a lost response',
    of({ ...waiting, attempts: 1, attemptedAt: NOW, dueAt: later(NOW, 9_000) }),
    noAction('explain.why_answer_lost', { dueAt: '2026-11-20T12:00:09.000Z' }),
  ],
  [
    'a sender that is held without a code',
    held(null),
    noAction('explain.why_breaker_open', { breakerOpenUntil: '2026-11-20T12:01:00.000Z' }),
  ],
  ['a sender that is slowed', held(130_429), heldByCode(130_429)],
  ['a sender in maintenance', held(131_057), heldByCode(131_057)],
  [
    'a sender whose quality is bad',
    held(131_048),
    operator('explain.breaker_and_remedy', {
      remedy: { code: 'failures.remedy_131048' },
      breakerOpenUntil: '2026-11-20T12:01:00.000Z',
    }),
  ],
  [
    'a message whose window closed long before its sender was held',
    of({
      ...waiting,
      status: 'failed',
      dueAt: null,
      submitBy: ago(24 * HOUR_MS),
      failureCode: 'SUBMISSION_EXPIRED',
      breakerOpenUntil: later(NOW, MINUTE_MS),
      breakerCode: 131_048,
    }),
    client('failures.submission_expired_remedy'),
  ],
  [
    'work without a worker',
    of({ ...waiting, dueAt: ago(2 * MINUTE_MS) }, { works: false }),
    noWorker('2026-11-20T11:58:00.000Z'),
  ],
  [
    'work that waits behind other work',
    of({ ...waiting, dueAt: ago(2 * MINUTE_MS) }),
    noAction('explain.why_about_to_go'),
  ],
  ['a token that is rejected', of({ ...waiting, accountStatus: 'credentials_invalid' }), unavailable('account')],
  ['a sender that is paused', of({ ...waiting, senderPaused: true }), unavailable('paused')],
  ['a message that WhatsApp took just now', of({ ...delivered, status: 'sending' }), provider('explain.just_taken')],
  [
    'silence after WhatsApp took the message',
    of({ ...delivered, status: 'sending', acceptedAt: ago(HOUR_MS) }),
    operator('explain.silent', { path: '/whatsapp/a', since: '2026-11-20T11:00:00.000Z' }),
  ],
]

testNextActions(cases)

test('every failure has one who must act, and tells them what to do in one sentence', () => {
  for (const failureCode of FAILURE_CODES) {
    const { who, sentence } = nextAction(of({ ...delivered, status: 'failed', failureCode }), whatsapp)
    assert.match(who, /^(client|operator)$/, failureCode)
    assert.match(inEnglish(sentence), /^(?!The )[A-Z][^.]+\.$/, failureCode)
  }
})
