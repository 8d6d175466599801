import { type CodedText, commandText, LANGUAGES, type TextCode } from '../../locales/text.ts'
import { translatorOf } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later, MINUTE_MS } from '../../src/lib/clock.ts'
import type { FailureCode } from '../../src/providers/failure-codes.ts'
import { findError } from '../../src/providers/whatsapp/errors.ts'
import { readInbound, readStatus, readStatusWord } from '../../src/providers/whatsapp/read.ts'
import type {
  DeliveryFact,
  Facts,
  MessageFact,
  OtpFact,
  ReportFact,
  WebhookAttemptFact,
} from '../../src/explain/facts.ts'
import { type NextAction, nextAction } from '../../src/explain/next-action.ts'
import type { AttemptFact } from '../../src/explain/rows.ts'

export const NOW = new Date('2026-11-20T12:00:00Z')
export const whatsapp = { readStatus, readStatusWord, readInbound, findError }
export const ago = (ms: number): Date => later(NOW, -ms)

export const delivered: OtpFact = {
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
  hookId: null,
  hookKind: null,
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

export const waiting: OtpFact = {
  ...delivered,
  status: 'queued',
  sentAt: null,
  acceptedAt: null,
  attempts: 0,
  dueAt: NOW,
}

export const underWay: OtpFact = {
  ...waiting,
  status: 'sending',
  attempts: 1,
  attemptedAt: NOW,
  leased: true,
  dueAt: later(NOW, 25_000),
}

export const delivery: DeliveryFact = {
  id: 'd',
  eventId: 'e',
  endpointId: 'p',
  url: 'https://shop.example/hooks',
  urlChangedAt: null,
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

export const rejectedByEndpoint: WebhookAttemptFact = {
  deliveryId: 'd',
  attempt: 1,
  startedAt: ago(MINUTE_MS),
  durationMs: 5,
  httpStatus: 500,
  error: null,
}

/** Nothing is known, and a worker runs. */
export const NO_FACTS: Omit<Facts, 'now'> = {
  confirmation: null,
  refusal: null,
  verification: null,
  messages: [],
  attempts: [],
  reports: [],
  inbound: [],
  answers: [],
  events: [],
  deliveries: [],
  webhookAttempts: [],
  works: true,
}

export const of = (message: MessageFact, more: Partial<Facts> = {}): Facts => ({
  ...NO_FACTS,
  now: NOW,
  messages: [message],
  ...more,
})

/** Failed by an attempt that WhatsApp answered so, or left without an answer. */
export const rejectedWith = (failureCode: FailureCode, ...attempts: Partial<AttemptFact>[]): Facts =>
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
export const reportedWith = (failureCode: FailureCode, ...codes: number[]): Facts => {
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

export const sent: OtpFact = { ...delivered, status: 'sent', sentAt: ago(5 * MINUTE_MS) }

export const question: MessageFact = {
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
export const [client, operator, provider, customer] = [by('client'), by('operator'), by('provider'), by('customer')]
export const noAction = (code: TextCode, parameters = {}): NextAction =>
  by('none')('explain.no_action', { why: { code, ...parameters } })
export const { url } = delivery
export const resend = commandText('endpoint resend p --event e')

/** A message of a sender that is held for a minute. */
export const held = (breakerCode: number | null): Facts =>
  of({ ...waiting, breakerOpenUntil: later(NOW, MINUTE_MS), breakerCode })
export const heldByCode = (errorCode: number): NextAction =>
  noAction('explain.why_breaker_open_by_code', {
    errorCode,
    title: { code: `failures.error_${errorCode}` },
    breakerOpenUntil: '2026-11-20T12:01:00.000Z',
  })

/** The operator must remove this obstacle before the message's window closes. */
export const unavailable = (obstacle: string): NextAction =>
  operator('explain.unavailable', {
    submitBy: '2026-11-20T12:08:00.000Z',
    remedy: { code: `accounts.obstacle_${obstacle}` },
  })

export const noWorker = (dueAt: string): NextAction => operator('explain.no_worker', { role: 'worker', dueAt })

/** A delivered message with one webhook. */
export const withWebhook = (more: Partial<DeliveryFact>, ...webhookAttempts: WebhookAttemptFact[]): Facts =>
  of(delivered, { deliveries: [{ ...delivery, ...more }], webhookAttempts })

/** One test for each case, and one for the texts of all of them. */
export function testNextActions(cases: readonly [string, Facts, NextAction][]): void {
  for (const [what, facts, expected] of cases) {
    test(`${what}: ${expected.who} must act`, () => assert.deepEqual(nextAction(facts, whatsapp), expected))
  }

  test('what must be done ends as a sentence in every language', () => {
    for (const [what, facts] of cases) {
      const { sentence } = nextAction(facts, whatsapp)
      for (const language of LANGUAGES) {
        assert.match(translatorOf(language).textOf(sentence), /[^.]\.\u2069?$/, what)
      }
    }
  })
}
