import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageRow } from '../subscribers.ts'
import { applyToMessage, ownFailure } from './apply.ts'

test('a second decision that a message failed changes nothing that the first one stored', () => {
  const at = new Date('2026-11-28T12:00:00.000Z')
  const id = '01a22428-1fcb-788a-a83d-dcd5719a2685'
  const before = { id, workspace_id: id, kind: 'otp', status: 'sending', recipient: '+34600111222', created_at: at }
  const none = { provider_message_id: null, sent_event_at: null, failed_event_at: null, undelivered_event_at: null }
  const row = { ...before, ...none, own_failure: null, clock_offset_ms: 0, inputs: 0 } as unknown as MessageRow
  const failed = (message: MessageRow, code: 'SUBMISSION_EXPIRED' | 'PROVIDER_UNAVAILABLE') =>
    applyToMessage(message, ownFailure({ id, workspaceId: id }, code, at), at)
  const first = failed(row, 'SUBMISSION_EXPIRED')
  const second = failed(first.message, 'PROVIDER_UNAVAILABLE')
  assert.equal(first.message.own_failure?.code, 'SUBMISSION_EXPIRED')
  assert.deepEqual(second.message.own_failure, first.message.own_failure)
  assert.equal(second.message.failure_code, 'SUBMISSION_EXPIRED')
})
