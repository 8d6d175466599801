import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later, MINUTE_MS } from '../clock.ts'
import { failures } from '../providers/failures.ts'
import type { FailureCode } from '../providers/provider.ts'
import { findError } from '../providers/whatsapp/errors.ts'
import { readInbound, readStatus, readStatusWord } from '../providers/whatsapp/read.ts'
import type { AttemptFact, DeliveryFact, Facts, MessageFact, ReportFact, WebhookAttemptFact } from './facts.ts'
import { type Actor, whoMustAct } from './who-must-act.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const provider = { readStatus, readStatusWord, readInbound, findError }
const ago = (ms: number): Date => later(NOW, -ms)

const delivered: MessageFact = {
  id: 'm',
  workspaceId: 'w',
  kind: 'otp',
  status: 'delivered',
  recipient: '+34600111222',
  senderPhone: '+15550100101',
  templateName: 'login_code',
  templateLanguage: 'en_US',
  reference: null,
  correlationId: 'c',
  apiKeyId: 'k',
  quotaUnit: 1,
  monthlyUnits: 10,
  createdAt: ago(2 * MINUTE_MS),
  sentAt: ago(MINUTE_MS),
  failureCode: null,
  failedAt: null,
  submitBy: later(NOW, 8 * MINUTE_MS),
  dueAt: null,
  leased: false,
  attempts: 1,
  attemptedAt: null,
  lastFailureCode: null,
  providerMessageId: 'wamid.1',
  acceptedAt: ago(2 * MINUTE_MS),
  senderStatus: 'CONNECTED',
  senderPaused: false,
  senderGone: false,
  accountStatus: 'connected',
  accountId: 'a',
  heldUntil: null,
  heldByCode: null,
  sendTtlSeconds: null,
}

const waiting: MessageFact = { ...delivered, status: 'queued', sentAt: null, acceptedAt: null, attempts: 0, dueAt: NOW }

const underWay: MessageFact = {
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
  status: 'succeeded',
  attempts: 1,
  leased: false,
  dueAt: null,
  createdAt: ago(MINUTE_MS),
}

const refusedByEndpoint: WebhookAttemptFact = {
  deliveryId: 'd',
  attempt: 1,
  startedAt: ago(MINUTE_MS),
  durationMs: 5,
  httpStatus: 500,
  error: null,
}

const of = (message: MessageFact, more: Partial<Facts> = {}): Facts => ({
  message,
  attempts: [],
  reports: [],
  events: [],
  deliveries: [],
  webhookAttempts: [],
  ...more,
})

/** Failed by an attempt that WhatsApp answered so, or left without an answer. */
const refusedWith = (failureCode: FailureCode, ...attempts: Partial<AttemptFact>[]): Facts =>
  of(
    { ...delivered, status: 'failed', sentAt: null, failureCode, failedAt: NOW },
    {
      attempts: attempts.map((each, place) => ({
        messageId: 'm',
        attempt: place + 1,
        startedAt: ago(MINUTE_MS),
        endedAt: ago(MINUTE_MS),
        outcome: 'refused',
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
    messageId: 'm',
    body: JSON.stringify({ status: 'failed', timestamp: '1763640000', errors: codes.map((code) => ({ code })) }),
    receivedAt: NOW,
    aheadMs: 0,
    repeats: 0,
    outcome: 'applied',
    note: null,
  }
  return of({ ...delivered, status: 'failed', failureCode, failedAt: NOW }, { reports: [report] })
}

const sent: MessageFact = { ...delivered, status: 'sent', sentAt: ago(5 * MINUTE_MS) }

const cases: readonly [string, Facts, Actor, RegExp][] = [
  ['a message that arrived', of(delivered), 'nobody', /the message has arrived/],
  [
    'a message that was read, and whose webhook arrived',
    of({ ...delivered, status: 'read' }, { deliveries: [delivery] }),
    'nobody',
    /arrived/,
  ],
  [
    'a message that WhatsApp holds for a phone',
    of({ ...delivered, status: 'sent' }),
    'customer',
    /phone must come online: WhatsApp holds the message until 2026-11-20T12:09:00/,
  ],
  [
    'an undelivered code whose template gives it five minutes, shortly after them',
    of({ ...sent, sendTtlSeconds: 300 }),
    'customer',
    /phone must come online/,
  ],
  [
    'an undelivered code whose template gave it two minutes',
    of({ ...sent, sendTtlSeconds: 120 }),
    'caller',
    /send a new code, because WhatsApp dropped this message: it held it until 2026-11-20T11:57:00/,
  ],
  [
    'an undelivered code whose template leaves its time to WhatsApp',
    of({ ...sent, sentAt: ago(12 * MINUTE_MS) }),
    'caller',
    /send a new code/,
  ],
  [
    'an undelivered code that WhatsApp keeps for 30 days',
    of({ ...sent, sentAt: ago(29 * 24 * HOUR_MS), sendTtlSeconds: -1 }),
    'customer',
    /phone must come online/,
  ],
  [
    'an undelivered question of a conversation',
    of({ ...sent, kind: 'cod', sentAt: ago(29 * 24 * HOUR_MS) }),
    'customer',
    /phone must come online/,
  ],
  [
    'a recipient whom the business blocked',
    reportedWith('RECIPIENT_NOT_ALLOWED', 130_403),
    'operator',
    /unblock the recipient .* the business itself has blocked them/,
  ],
  [
    'a message that WhatsApp holds back for the day',
    reportedWith('RECIPIENT_RATE_LIMITED', 131_049),
    'caller',
    /wait for a day/,
  ],
  [
    'a number whose quality is bad',
    refusedWith('SENDER_RATE_LIMITED', { outcome: 'retry', providerCode: 131_048 }),
    'operator',
    /quality of the sender’s number in WhatsApp Manager/,
  ],
  [
    'a failure that WhatsApp reports without any error',
    reportedWith('UNKNOWN'),
    'operator',
    /look in WhatsApp Manager .* reported the failure without a code/,
  ],
  [
    'a failure with a code that nobody knows',
    reportedWith('UNKNOWN', 999_999),
    'operator',
    /code 999999, which Doorcode does not know/,
  ],
  [
    'an unknown failure that WhatsApp names so, three times',
    refusedWith('UNKNOWN', ...Array.from({ length: 3 }, () => ({ providerCode: 131_000, httpStatus: 500 }))),
    'caller',
    /send again later .* failed without a reason/,
  ],
  ['a refusal without a code', refusedWith('UNKNOWN', {}), 'operator', /read WhatsApp’s answer .* names no code/],
  [
    'a code that is known and that no message should meet',
    refusedWith('UNKNOWN', { providerCode: 131_051 }),
    'operator',
    /code 131051, Message type not supported/,
  ],
  [
    'a message whose answers were lost',
    refusedWith(
      'PROVIDER_UNAVAILABLE',
      { outcome: 'unknown', httpStatus: 502 },
      { outcome: 'unknown', httpStatus: 502 },
    ),
    'caller',
    /if the recipient has got nothing: .* may have arrived/,
  ],
  [
    'a provider that had a fault until the end',
    refusedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: 500, providerCode: 131_016 }),
    'caller',
    /a fault until the time to send had passed: code 131016, Service temporarily unavailable/,
  ],
  [
    'a provider that could not be reached until the end',
    refusedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: null }),
    'caller',
    /took no attempt .* until the time for it had passed/,
  ],
  [
    'a provider that answered with a fault of a code that nobody knows',
    refusedWith('PROVIDER_UNAVAILABLE', { outcome: 'retry', httpStatus: 500, providerCode: 999_999 }),
    'caller',
    /took no attempt/,
  ],
  [
    'a fault that WhatsApp reports after it took the message',
    reportedWith('PROVIDER_UNAVAILABLE', 131_016),
    'caller',
    /took the message and then had a fault/,
  ],
  ['a message that waits for its first attempt', of(waiting), 'nobody', /about to be submitted/],
  ['an attempt under way', of(underWay), 'nobody', /attempt to submit .* under way/],
  [
    'an attempt that finds out whether a hold is over',
    of({ ...underWay, heldUntil: later(NOW, 10_000), heldByCode: 131_057 }),
    'nobody',
    /attempt to submit .* under way/,
  ],
  [
    'an attempt under way of a sender that was paused meanwhile',
    of({ ...underWay, senderPaused: true }),
    'nobody',
    /attempt to submit .* under way/,
  ],
  [
    'an attempt whose process died, of a sender that was paused meanwhile',
    of({ ...underWay, dueAt: ago(1_000), senderPaused: true }),
    'operator',
    /paused; Resume it/,
  ],
  [
    'an attempt whose process died, and that nobody follows up',
    of({ ...underWay, dueAt: ago(2 * MINUTE_MS) }),
    'operator',
    /role "worker"/,
  ],
  [
    'a retry that waits',
    of({ ...waiting, attempts: 2, dueAt: later(NOW, 4_000) }),
    'nobody',
    /tried again at 2026-11-20T12:00:04\.000Z/,
  ],
  [
    'a lost answer',
    of({ ...waiting, attempts: 1, attemptedAt: NOW, dueAt: later(NOW, 9_000) }),
    'nobody',
    /answer to the last attempt was lost/,
  ],
  [
    'a sender that is held without a code',
    of({ ...waiting, heldUntil: later(NOW, MINUTE_MS) }),
    'nobody',
    /asked for a pause.* goes on by itself at 2026-11-20T12:01/,
  ],
  [
    'a sender that is slowed',
    of({ ...waiting, heldUntil: later(NOW, MINUTE_MS), heldByCode: 130_429 }),
    'nobody',
    /code 130429, Throughput of the number reached\), and the sender goes on by itself at 2026-11-20T12:01/,
  ],
  [
    'a sender in maintenance',
    of({ ...waiting, heldUntil: later(NOW, MINUTE_MS), heldByCode: 131_057 }),
    'nobody',
    /code 131057, Number in maintenance\)/,
  ],
  [
    'a sender whose quality is bad',
    of({ ...waiting, heldUntil: later(NOW, MINUTE_MS), heldByCode: 131_048 }),
    'operator',
    /quality of the sender’s number in WhatsApp Manager.*; the sender goes on by itself at 2026-11-20T12:01/,
  ],
  [
    'a message whose window closed long before its sender was held',
    of({
      ...waiting,
      status: 'failed',
      dueAt: null,
      submitBy: ago(24 * HOUR_MS),
      failureCode: 'SUBMISSION_EXPIRED',
      heldUntil: later(NOW, MINUTE_MS),
      heldByCode: 131_048,
    }),
    'caller',
    /send again, because the message could not be handed over/,
  ],
  [
    'work that nobody takes',
    of({ ...waiting, dueAt: ago(2 * MINUTE_MS) }),
    'operator',
    /role "worker".* since 2026-11-20T11:58/,
  ],
  [
    'a token that is refused',
    of({ ...waiting, accountStatus: 'credentials_invalid' }),
    'operator',
    /before 2026-11-20T12:08.* token/,
  ],
  [
    'a sender that is paused',
    of({ ...waiting, senderPaused: true }),
    'operator',
    /paused; Resume it with "sender resume <senderId>"/,
  ],
  ['a message that WhatsApp took just now', of({ ...delivered, status: 'sending' }), 'provider', /must report/],
  [
    'silence after WhatsApp took the message',
    of({ ...delivered, status: 'sending', acceptedAt: ago(HOUR_MS) }),
    'operator',
    /webhooks reach \/whatsapp\/a/,
  ],
  [
    'a webhook that will be tried again',
    of(delivered, {
      deliveries: [{ ...delivery, status: 'pending', dueAt: later(NOW, 5_000) }],
      webhookAttempts: [refusedByEndpoint],
    }),
    'caller',
    /mend https:\/\/shop\.example\/hooks, which answered 500; the next attempt is at 2026-11-20T12:00:05/,
  ],
  [
    'a webhook that was given up',
    of(delivered, {
      deliveries: [{ ...delivery, status: 'failed' }],
      webhookAttempts: [{ ...refusedByEndpoint, httpStatus: null, error: 'timeout' }],
    }),
    'caller',
    /did not answer \(timeout\) until the last attempt.* "endpoint resend p --event e"/,
  ],
  [
    'a webhook that is held',
    of(delivered, {
      deliveries: [{ ...delivery, status: 'held', endpointStatus: 'disabled', endpointReason: 'It answered 410.' }],
    }),
    'operator',
    /run "endpoint enable p" and then "endpoint resend p --event e": .* is disabled \(It answered 410\)/,
  ],
  [
    'a webhook that is held by a pause',
    of(delivered, { deliveries: [{ ...delivery, status: 'held', endpointStatus: 'paused' }] }),
    'operator',
    /run "endpoint resume p" and then/,
  ],
  [
    'a webhook that is held although its endpoint is enabled again',
    of(delivered, { deliveries: [{ ...delivery, status: 'held' }] }),
    'operator',
    /must send the event again with "endpoint resend p --event e"/,
  ],
  [
    'one of two webhooks that is in trouble',
    of(delivered, {
      deliveries: [
        { ...delivery, status: 'pending', dueAt: NOW },
        { ...delivery, id: 'f', status: 'failed' },
      ],
    }),
    'caller',
    /must mend/,
  ],
  [
    'a webhook on its way',
    of(delivered, { deliveries: [{ ...delivery, status: 'pending', dueAt: NOW }] }),
    'nobody',
    /on its way/,
  ],
  [
    'a ping that arrived',
    { ...of(delivered, { deliveries: [delivery] }), message: undefined },
    'nobody',
    /reached every endpoint/,
  ],
]

for (const [what, facts, who, sentence] of cases) {
  test(`${what}: ${who} must act`, () => {
    const next = whoMustAct(facts, NOW, provider)
    assert.equal(next.who, who, next.sentence.en)
    assert.match(next.sentence.en, sentence)
  })
}

test('every failure names one who must act, in one sentence', () => {
  for (const failureCode of Object.keys(failures) as FailureCode[]) {
    const { who, sentence } = whoMustAct(
      of({ ...delivered, status: 'failed', failureCode, failedAt: NOW }),
      NOW,
      provider,
    )
    assert.notEqual(who, 'nobody', failureCode)
    assert.match(sentence.en, /^The (caller|operator) must [^.]+\.$/, failureCode)
  }
})

test('what must be done is always one sentence', () => {
  for (const [what, facts] of cases) {
    for (const sentence of Object.values(whoMustAct(facts, NOW, provider).sentence)) {
      assert.doesNotMatch(sentence.slice(0, -1), /[.!?] /, what)
      assert.ok(sentence.endsWith('.'), what)
    }
  }
})
