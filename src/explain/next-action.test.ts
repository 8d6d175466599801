import { asWritten, type CodedText, commandText, LANGUAGES, type TextCode } from '../../locales/text.ts'
import { inEnglish, translatorOf } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later, MINUTE_MS } from '../lib/clock.ts'
import { FAILURE_CODES, type FailureCode } from '../providers/failure-codes.ts'
import { findError } from '../providers/whatsapp/errors.ts'
import { readInbound, readStatus, readStatusWord } from '../providers/whatsapp/read.ts'
import type { DeliveryFact, Facts, MessageFact, OtpFact, ReportFact, WebhookAttemptFact } from './facts.ts'
import { type NextAction, nextAction } from './next-action.ts'
import type { AttemptFact } from './rows.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const whatsapp = { readStatus, readStatusWord, readInbound, findError }
const ago = (ms: number): Date => later(NOW, -ms)

const delivered: OtpFact = {
  id: 'm',
  kind: 'otp',
  status: 'delivered',
  recipient: '+34600111222',
  senderId: 's',
  senderPhone: '+15550100101',
  phoneNumberId: '1',
  templateName: 'login_code',
  templateLanguage: 'en_US',
  reference: null,
  correlationId: 'c',
  apiKeyId: 'k',
  apiKeyName: 'shop',
  quotaUnit: 1,
  monthlyUnits: 10,
  createdAt: ago(2 * MINUTE_MS),
  sentAt: ago(MINUTE_MS),
  failureCode: null,
  submitBy: later(NOW, 8 * MINUTE_MS),
  dueAt: null,
  deliverWithinSeconds: null,
  deliverBy: null,
  undeliveredEventAt: null,
  leased: false,
  attempts: 1,
  attemptedAt: null,
  providerMessageId: 'wamid.1',
  acceptedAt: ago(2 * MINUTE_MS),
  senderStatus: 'CONNECTED',
  senderPaused: false,
  senderGone: false,
  accountStatus: 'connected',
  accountId: 'a',
  breakerOpenUntil: null,
  breakerCode: null,
  finishTries: 0,
  finishError: null,
  quarantinedAt: null,
  sendTtlSeconds: null,
  components: null,
  confirmationId: null,
  check: null,
  purpose: null,
  content: null,
  offered: null,
  verificationId: null,
}

const waiting: OtpFact = { ...delivered, status: 'queued', sentAt: null, acceptedAt: null, attempts: 0, dueAt: NOW }

const underWay: OtpFact = {
  ...waiting,
  status: 'sending',
  attempts: 1,
  attemptedAt: NOW,
  leased: true,
  dueAt: later(NOW, 25_000),
}

const delivery: DeliveryFact = {
  id: 'd',
  eventId: 'e',
  endpointId: 'p',
  url: 'https://shop.example/hooks',
  endpointStatus: 'enabled',
  endpointReason: null,
  endpointFailing: false,
  endpointRecovers: false,
  status: 'succeeded',
  attempts: 1,
  leased: false,
  dueAt: null,
  hasContent: true,
  enqueuedAt: ago(MINUTE_MS),
}

const rejectedByEndpoint: WebhookAttemptFact = {
  deliveryId: 'd',
  attempt: 1,
  startedAt: ago(MINUTE_MS),
  durationMs: 5,
  httpStatus: 500,
  error: null,
}

const of = (message: MessageFact, more: Partial<Facts> = {}): Facts => ({
  now: NOW,
  confirmation: null,
  refusal: null,
  verification: null,
  messages: [message],
  attempts: [],
  reports: [],
  inbound: [],
  answers: [],
  events: [],
  deliveries: [],
  webhookAttempts: [],
  works: true,
  ...more,
})

/** Failed by an attempt that WhatsApp answered so, or left without an answer. */
const rejectedWith = (failureCode: FailureCode, ...attempts: Partial<AttemptFact>[]): Facts =>
  of(
    { ...delivered, status: 'failed', sentAt: null, failureCode },
    {
      attempts: attempts.map((each, index) => ({
        messageId: 'm',
        attempt: index + 1,
        startedAt: ago(MINUTE_MS),
        endedAt: ago(MINUTE_MS),
        outcome: 'rejected',
        httpStatus: 400,
        providerCode: null,
        detail: null,
        ...each,
      })),
    },
  )

/** Failed by a status report that names these codes. */
const reportedWith = (failureCode: FailureCode, ...codes: number[]): Facts => {
  const report: ReportFact = {
    id: 'r',
    messageId: 'm',
    body: JSON.stringify({ status: 'failed', timestamp: '1763640000', errors: codes.map((code) => ({ code })) }),
    receivedAt: NOW,
    writtenAt: NOW,
    aheadMs: 0,
    repeats: 0,
    outcome: 'applied',
    note: null,
  }
  return of({ ...delivered, status: 'failed', failureCode }, { reports: [report] })
}

const sent: OtpFact = { ...delivered, status: 'sent', sentAt: ago(5 * MINUTE_MS) }

const question: MessageFact = {
  ...sent,
  kind: 'cod',
  quotaUnit: null,
  monthlyUnits: null,
  verificationId: null,
  confirmationId: 'c',
  check: 'confirmation',
  purpose: 'day_question',
  content: { type: 'text', body: 'Which day?' },
}

const by =
  (who: NextAction['who']) =>
  (code: TextCode, parameters = {}): NextAction => ({ who, sentence: { code, ...parameters } as CodedText })
const [client, operator, provider, customer] = [by('client'), by('operator'), by('provider'), by('customer')]
const noAction = (code: TextCode, parameters = {}): NextAction =>
  by('none')('explain.no_action', { why: { code, ...parameters } })
const { url } = delivery
const resend = commandText('endpoint resend p --event e')

/** A message of a sender that is held for a minute. */
const held = (breakerCode: number | null): Facts =>
  of({ ...waiting, breakerOpenUntil: later(NOW, MINUTE_MS), breakerCode })
const heldByCode = (errorCode: number): NextAction =>
  noAction('explain.why_breaker_open_by_code', {
    errorCode,
    title: { code: `failures.error_${errorCode}` },
    breakerOpenUntil: '2026-11-20T12:01:00.000Z',
  })

/** The operator must remove this obstacle before the message's window closes. */
const unavailable = (obstacle: string): NextAction =>
  operator('explain.unavailable', {
    submitBy: '2026-11-20T12:08:00.000Z',
    remedy: { code: `accounts.obstacle_${obstacle}` },
  })

const noWorker = (dueAt: string): NextAction => operator('explain.no_worker', { role: 'worker', dueAt })

/** A delivered message with one webhook. */
const withWebhook = (more: Partial<DeliveryFact>, ...webhookAttempts: WebhookAttemptFact[]): Facts =>
  of(delivered, { deliveries: [{ ...delivery, ...more }], webhookAttempts })

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
  [
    'a webhook that will be tried again',
    withWebhook({ status: 'pending', dueAt: later(NOW, 5_000) }, rejectedByEndpoint),
    client('explain.failing', {
      url,
      fault: { code: 'explain.fault_answered', httpStatus: 500 },
      dueAt: '2026-11-20T12:00:05.000Z',
    }),
  ],
  [
    'a webhook that waits for its turn at an endpoint that fails',
    withWebhook({ status: 'pending', endpointFailing: true, dueAt: ago(HOUR_MS) }),
    client('explain.failing_in_turn', { url }),
  ],
  [
    'a webhook that waits for its turn at an endpoint that is slow',
    withWebhook({ status: 'pending', dueAt: ago(HOUR_MS) }),
    client('explain.slow_in_turn', { url }),
  ],
  [
    'a webhook that waited for an endpoint that answers again',
    withWebhook({ status: 'pending', endpointRecovers: true, dueAt: later(NOW, 5_000) }, rejectedByEndpoint),
    noAction('explain.why_catches_up', { url }),
  ],
  [
    'a webhook that was held when its endpoint was deleted',
    withWebhook({ status: 'held', endpointStatus: 'deleted' }),
    noAction('explain.why_endpoint_deleted', { url }),
  ],
  [
    'a webhook that no worker takes',
    of(delivered, {
      deliveries: [{ ...delivery, status: 'pending', endpointFailing: true, dueAt: ago(HOUR_MS) }],
      works: false,
    }),
    noWorker('2026-11-20T11:00:00.000Z'),
  ],
  [
    'a webhook that was given up',
    withWebhook({ status: 'failed' }, { ...rejectedByEndpoint, httpStatus: null, error: asWritten('timeout') }),
    client('explain.delivery_failed', {
      url,
      fault: { code: 'explain.fault_no_answer', why: { code: 'text', text: 'timeout' } },
      resend,
    }),
  ],
  [
    'a webhook that is held',
    withWebhook({ status: 'held', endpointStatus: 'disabled', endpointReason: asWritten('It answered 410.') }),
    operator('explain.held', {
      enable: commandText('endpoint enable p'),
      resend,
      url,
      endpointStatus: { code: 'webhooks.status_disabled' },
      reason: { code: 'explain.reason', reason: { code: 'text', text: 'It answered 410.' } },
    }),
  ],
  [
    'a webhook that is held by a pause',
    withWebhook({ status: 'held', endpointStatus: 'paused' }),
    operator('explain.held', {
      enable: commandText('endpoint resume p'),
      resend,
      url,
      endpointStatus: { code: 'webhooks.status_paused' },
      reason: '',
    }),
  ],
  [
    'a webhook that is held although its endpoint is enabled again',
    withWebhook({ status: 'held' }),
    operator('explain.was_held', { url, resend }),
  ],
  ...(
    [
      { status: 'failed' },
      { status: 'held' },
      { status: 'held', endpointStatus: 'paused' },
      { status: 'held', endpointStatus: 'disabled' },
    ] as const
  ).flatMap((more): [string, Facts, NextAction][] => {
    const removed = withWebhook({ ...more, hasContent: false })
    const lost = { ...rejectedByEndpoint, httpStatus: null, error: { code: 'webhooks.secret_lost' } } as const
    return [
      [`a ${more.status} webhook whose content was removed`, removed, client('explain.delivery_removed', { url })],
      [
        `a ${more.status} webhook whose content was removed and whose secret is lost`,
        { ...removed, webhookAttempts: [lost] },
        client('explain.delivery_removed', { url }),
      ],
      [
        `a ${more.status} ping whose content was removed`,
        { ...removed, messages: [] },
        noAction('explain.why_ping_removed', { url }),
      ],
    ]
  }),
  [
    'one of two webhooks that is in trouble',
    of(delivered, {
      deliveries: [
        { ...delivery, status: 'pending', dueAt: NOW },
        { ...delivery, id: 'f', status: 'failed' },
      ],
    }),
    client('explain.delivery_failed', { url, fault: { code: 'explain.fault_silent' }, resend }),
  ],
  ['a webhook on its way', withWebhook({ status: 'pending', dueAt: NOW }), noAction('explain.why_on_its_way', { url })],
  [
    'a ping that arrived',
    { ...of(delivered, { deliveries: [delivery] }), messages: [] },
    noAction('explain.why_reached_all'),
  ],
]

for (const [what, facts, expected] of cases) {
  test(`${what}: ${expected.who} must act`, () => assert.deepEqual(nextAction(facts, whatsapp), expected))
}

test('every failure has one who must act, and tells them what to do in one sentence', () => {
  for (const failureCode of FAILURE_CODES) {
    const { who, sentence } = nextAction(of({ ...delivered, status: 'failed', failureCode }), whatsapp)
    assert.match(who, /^(client|operator)$/, failureCode)
    assert.match(inEnglish(sentence), /^(?!The )[A-Z][^.]+\.$/, failureCode)
  }
})

test('what must be done ends as a sentence in every language', () => {
  for (const [what, facts] of cases) {
    const { sentence } = nextAction(facts, whatsapp)
    for (const language of LANGUAGES) {
      assert.match(translatorOf(language).textOf(sentence), /[^.]\.\u2069?$/, what)
    }
  }
})
