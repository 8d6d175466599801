import assert from 'node:assert/strict'
import { test } from 'node:test'
import { senderUnavailableReason } from './availability.ts'

const sender = { senderStatus: 'CONNECTED', senderPaused: false, senderGone: false, accountStatus: 'connected' }

test('a connected or flagged number of a connected account can send', () => {
  assert.equal(senderUnavailableReason(sender), undefined)
  assert.equal(senderUnavailableReason({ ...sender, senderStatus: 'FLAGGED' }), undefined)
})

test('a number with any other status cannot send, and the reason names it', () => {
  for (const senderStatus of [
    'PENDING',
    'DISCONNECTED',
    'RESTRICTED',
    'RATE_LIMITED',
    'BANNED',
    'MIGRATED',
    'DELETED',
    'UNVERIFIED',
    'UNKNOWN',
    'LINKED',
    'connected',
  ])
    assert.match(JSON.stringify(senderUnavailableReason({ ...sender, senderStatus })), new RegExp(senderStatus))
})

test('a paused or missing number and a rejected token each give their reason', () => {
  const reasons = [{ senderPaused: true }, { senderGone: true }, { accountStatus: 'credentials_invalid' }].map(
    (more) => senderUnavailableReason({ ...sender, ...more })?.code,
  )
  assert.ok(reasons.every((reason) => reason !== undefined))
  assert.equal(new Set(reasons).size, 3)
})
