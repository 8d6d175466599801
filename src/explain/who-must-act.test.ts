import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later, MINUTE_MS } from '../clock.ts'
import { failures } from '../providers/failures.ts'
import type { FailureCode } from '../providers/provider.ts'
import type { DeliveryFact, Facts, MessageFact, WebhookAttemptFact } from './facts.ts'
import { type Actor, whoMustAct } from './who-must-act.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
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
}

const waiting: MessageFact = { ...delivered, status: 'queued', sentAt: null, acceptedAt: null, attempts: 0, dueAt: NOW }

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
    /phone must come online/,
  ],
  ['a message that waits for its first attempt', of(waiting), 'nobody', /about to be submitted/],
  ['an attempt under way', of({ ...waiting, leased: true, attempts: 1 }), 'nobody', /attempt to submit .* under way/],
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
    'a sender that is slowed',
    of({ ...waiting, heldUntil: later(NOW, MINUTE_MS) }),
    'nobody',
    /goes on by itself at 2026-11-20T12:01/,
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
    const next = whoMustAct(facts, NOW)
    assert.equal(next.who, who, next.sentence.en)
    assert.match(next.sentence.en, sentence)
  })
}

test('every failure names one who must act, in one sentence', () => {
  for (const failureCode of Object.keys(failures) as FailureCode[]) {
    const { who, sentence } = whoMustAct(of({ ...delivered, status: 'failed', failureCode, failedAt: NOW }), NOW)
    assert.notEqual(who, 'nobody', failureCode)
    assert.match(sentence.en, /^The (caller|operator) must [^.]+\.$/, failureCode)
  }
})

test('what must be done is always one sentence', () => {
  for (const [what, facts] of cases) {
    for (const sentence of Object.values(whoMustAct(facts, NOW).sentence)) {
      assert.doesNotMatch(sentence.slice(0, -1), /[.!?] /, what)
      assert.ok(sentence.endsWith('.'), what)
    }
  }
})
