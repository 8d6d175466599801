import assert from 'node:assert/strict'
import { test } from 'node:test'
import { senderUnavailableReason } from './availability.ts'

const sender = { status: 'CONNECTED', paused: false, gone: false, accountStatus: 'connected' }

test('a connected number of a connected account can send, also when it is flagged', () => {
  assert.equal(senderUnavailableReason(sender), undefined)
  assert.equal(senderUnavailableReason({ ...sender, status: 'FLAGGED' }), undefined)
})

test('a number of any other status cannot send, and the reason names the status', () => {
  for (const status of [
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
    assert.match(senderUnavailableReason({ ...sender, status })?.en ?? '', new RegExp(status))
})

test('a pause, a number that is gone and a refused token each stop a sender, each with its own reason', () => {
  const reasons = [{ paused: true }, { gone: true }, { accountStatus: 'credentials_invalid' }].map(
    (more) => senderUnavailableReason({ ...sender, ...more })?.en,
  )
  assert.ok(reasons.every((reason) => reason !== undefined))
  assert.equal(new Set(reasons).size, 3)
})
