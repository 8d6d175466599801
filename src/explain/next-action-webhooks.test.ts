import { asWritten, commandText } from '../../locales/text.ts'
import { HOUR_MS, later } from '../lib/clock.ts'
import type { ConfirmationFact, Facts } from './facts.ts'
import type { NextAction } from './next-action.ts'
import type { AnswerFact } from './rows.ts'
import {
  NOW,
  ago,
  delivered,
  delivery,
  rejectedByEndpoint,
  of,
  client,
  operator,
  noAction,
  question,
  url,
  resend,
  noWorker,
  withWebhook,
  testNextActions,
} from '../../test/world/next-actions.ts'

/** The parameters for an endpoint that answered 410, and for a paused one. */
const enableFirst = {
  enable: commandText('endpoint enable p'),
  resend,
  url,
  endpointStatus: { code: 'webhooks.status_disabled' },
  reason: { code: 'explain.reason', reason: { code: 'text', text: 'It answered 410.' } },
} as const
const resumeFirst = {
  enable: commandText('endpoint resume p'),
  resend,
  url,
  endpointStatus: { code: 'webhooks.status_paused' },
  reason: '',
} as const

const cases: readonly [string, Facts, NextAction][] = [
  [
    'a delivered webhook that is sent again',
    withWebhook({ status: 'pending', dueAt: NOW }, { ...rejectedByEndpoint, httpStatus: 200 }),
    noAction('explain.why_on_its_way', { url }),
  ],
  [
    'a webhook that failed at a former URL and is sent again',
    withWebhook({ status: 'pending', dueAt: NOW, urlChangedAt: NOW }, { ...rejectedByEndpoint, httpStatus: 410 }),
    noAction('explain.why_on_its_way', { url }),
  ],
  [
    'a webhook that failed at a former URL, while the new one fails too',
    withWebhook(
      { status: 'pending', dueAt: later(NOW, HOUR_MS), urlChangedAt: NOW, endpointFailing: true },
      rejectedByEndpoint,
    ),
    client('explain.failing_in_turn', { url }),
  ],
  [
    'a webhook that failed at the present URL after an earlier change',
    withWebhook({ status: 'pending', dueAt: NOW, urlChangedAt: ago(HOUR_MS) }, rejectedByEndpoint),
    client('explain.failing', {
      url,
      fault: { code: 'explain.fault_answered', httpStatus: 500 },
      dueAt: '2026-11-20T12:00:00.000Z',
    }),
  ],
  [
    'a webhook that is being sent again after a failure',
    withWebhook({ status: 'pending', leased: true, dueAt: later(NOW, 25_000) }, rejectedByEndpoint),
    noAction('explain.why_on_its_way', { url }),
  ],
  [
    'a webhook whose worker ended during the attempt',
    {
      ...withWebhook({ status: 'pending', leased: true, dueAt: ago(HOUR_MS) }, rejectedByEndpoint),
      works: false,
    },
    noWorker('2026-11-20T11:00:00.000Z'),
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
    'a follow-up that expired without a day, and a webhook that was held when its endpoint was deleted',
    of(
      { ...question, status: 'delivered' },
      {
        confirmation: { check: 'confirmation', status: 'rescheduled' } as ConfirmationFact,
        answers: [{ check: 'confirmation', answer: 'reschedule_started', superseded: false } as AnswerFact],
        deliveries: [{ ...delivery, status: 'held', endpointStatus: 'deleted' }],
      },
    ),
    client('explain.ask_day'),
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
    'a webhook that was given up at a former URL',
    withWebhook({ status: 'failed', urlChangedAt: NOW }, rejectedByEndpoint),
    operator('explain.failed_at_former_url', { url, resend }),
  ],
  [
    'a webhook that was given up before its endpoint was disabled',
    withWebhook(
      { status: 'failed', endpointStatus: 'disabled', endpointReason: asWritten('It answered 410.') },
      rejectedByEndpoint,
    ),
    operator('explain.failed_not_enabled', enableFirst),
  ],
  [
    'a webhook that was given up before its endpoint was paused',
    withWebhook({ status: 'failed', endpointStatus: 'paused' }, rejectedByEndpoint),
    operator('explain.failed_not_enabled', resumeFirst),
  ],
  [
    'a webhook that is held',
    withWebhook({ status: 'held', endpointStatus: 'disabled', endpointReason: asWritten('It answered 410.') }),
    operator('explain.held', enableFirst),
  ],
  [
    'a webhook that is held by a pause',
    withWebhook({ status: 'held', endpointStatus: 'paused' }),
    operator('explain.held', resumeFirst),
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

testNextActions(cases)
