import { inEnglish } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_FACTS } from '../../test/world/next-actions.ts'
import { findError } from '../providers/whatsapp/errors.ts'
import { readInbound, readStatus, readStatusWord } from '../providers/whatsapp/read.ts'
import type { ConfirmationFact, ConversationMessageFact, Facts, ReportFact } from './facts.ts'
import { attemptEntry, timeline } from './timeline.ts'

test('an attempt shows the provider’s code, even 0, which means a rejected token', () => {
  const at = new Date(0)
  const attempt = {
    messageId: 'm',
    attempt: 1,
    startedAt: at,
    endedAt: at,
    outcome: 'rejected',
    httpStatus: 401,
  } as const
  const detail = (providerCode: number | null) =>
    inEnglish(attemptEntry({ ...attempt, providerCode, detail: null }).detail)
  const accepted = { ...attempt, outcome: 'accepted', httpStatus: 200, providerCode: null, detail: null } as const
  assert.equal(inEnglish(attemptEntry(accepted).detail), 'attempt 1: WhatsApp accepted the message')
  assert.match(detail(0), /HTTP 401, code 0/)
  assert.doesNotMatch(detail(null), /code/)
})

const SECOND = '2026-11-20T12:00:05.'
const at = (ms: number): Date => new Date(`${SECOND}${String(ms).padStart(3, '0')}Z`)

const question = (id: string, createdAt: Date): ConversationMessageFact =>
  ({
    id,
    kind: 'cod',
    check: 'confirmation',
    purpose: 'day_question',
    content: { type: 'text', body: id },
    components: null,
    createdAt,
    providerMessageId: `wamid.${id}`,
    status: 'read',
    dueAt: null,
    attempts: 1,
    attemptedAt: null,
    quarantinedAt: null,
  }) satisfies Partial<ConversationMessageFact> as unknown as ConversationMessageFact

const report = (messageId: string, status: string, receivedAt: Date): ReportFact => ({
  id: `${messageId} ${status}`,
  messageId,
  body: JSON.stringify({ status, timestamp: String(Math.floor(receivedAt.getTime() / 1000)) }),
  receivedAt,
  writtenAt: receivedAt,
  aheadMs: 0,
  repeats: 0,
  outcome: 'applied',
  note: null,
})

const reply = (messageId: string, receivedAt: Date): ReportFact => ({
  ...report(messageId, 'reply', receivedAt),
  messageId: null,
  body: JSON.stringify({
    message: { from: '1', type: 'text', text: { body: 'ok' }, context: { id: `wamid.${messageId}` } },
  }),
})

const conversation = (facts: Partial<Facts>): Facts => ({
  ...NO_FACTS,
  now: at(999),
  confirmation: { check: 'confirmation', id: 'c', createdAt: at(0), quotaUnit: 1 } as ConfirmationFact,
  ...facts,
})

const orderOf = (facts: Partial<Facts>): string[] =>
  timeline(conversation(facts), { findError, readInbound, readStatus, readStatusWord })
    .filter(({ what }) => what === 'message' || what === 'report' || what === 'customer')
    .map(({ what, messageId, report: status }) =>
      what === 'customer' ? what : `${String(messageId)} ${typeof status === 'string' ? status : what}`,
    )

test('reports that reach Doorcode after the customer’s reply come before it', () => {
  const late = {
    messages: [question('day', at(0)), question('time', at(310))],
    inbound: [reply('day', at(300))],
    reports: [report('day', 'read', at(320)), report('day', 'delivered', at(320)), report('time', 'sent', at(400))],
  }
  assert.deepEqual(orderOf(late), ['day message', 'day delivered', 'day read', 'customer', 'time message', 'time sent'])
})

test('a report that comes seconds after the reply stays where it came', () => {
  const late = {
    messages: [question('day', at(0)), question('time', at(310))],
    inbound: [reply('day', at(300))],
    reports: [report('day', 'read', new Date('2026-11-20T12:00:09Z'))],
  }
  assert.deepEqual(orderOf(late), ['day message', 'customer', 'time message', 'day read'])
})

test('reports of one instant are in the order of their statuses', () => {
  const statuses = ['read', 'sent', 'delivered'].map((status) => report('day', status, at(200)))
  assert.deepEqual(orderOf({ messages: [question('day', at(0))], reports: statuses }), [
    'day message',
    'day sent',
    'day delivered',
    'day read',
  ])
})
