import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, later } from '../clock.ts'
import { type Facts, attentionOf } from './attention.ts'

const now = new Date('2026-11-21T12:00:00Z')
const none: Facts = { accounts: [], senders: [], templates: [], endpoints: [], usage: [], keys: [], now }

const account = (status: 'connected' | 'credentials_invalid') => ({
  accountId: 'a',
  wabaId: '1020',
  graphUrl: '',
  status,
  statusDetail: null,
  createdAt: now,
  syncedAt: now,
  syncDueAt: now,
  templates: 0,
})
const sender = (obstacle: Facts['senders'][number]['obstacle']) => ({
  senderId: 's',
  accountId: 'a',
  phoneNumberId: '1',
  phoneNumber: '+1',
  verifiedName: null,
  status: 'CONNECTED',
  quality: null,
  throughput: null,
  pausedAt: null,
  goneAt: null,
  heldUntil: null,
  obstacle,
})
const key = (name: string, createdAt: Date, expiresAt: Date | null) => ({
  publicId: `${name}${createdAt.getTime()}`,
  name,
  createdAt,
  lastUsedAt: null,
  expiresAt,
  revokedAt: null,
})

test('where everything works nobody has to look at anything', () => {
  const usage = [{ kind: 'otp' as const, monthlyUnits: 9, used: 1, forecast: { will: 'lasts' as const } }]
  const keys = [key('checkout', now, null), key('old', now, later(now, 30 * DAY_MS))]
  const facts = { ...none, accounts: [account('connected')], senders: [sender(null)], usage, keys }
  assert.deepEqual(attentionOf(facts), [])
})

test('a lost token is told once, of the account and not of each of its senders', () => {
  const facts = { ...none, accounts: [account('credentials_invalid')], senders: [sender('account'), sender('account')] }
  assert.deepEqual(
    attentionOf(facts).map(({ about }) => about),
    ['account'],
  )
})

test('what does not work comes before what soon will not', () => {
  const usage = [
    { kind: 'otp' as const, monthlyUnits: 9, used: 1, forecast: { will: 'runs_out' as const, at: later(now, DAY_MS) } },
    { kind: 'cod_refusal' as const, monthlyUnits: 9, used: 9, forecast: { will: 'is_out' as const } },
  ]
  const facts = { ...none, usage, senders: [sender('paused')], keys: [key('checkout', now, later(now, DAY_MS))] }
  assert.deepEqual(
    attentionOf(facts).map(({ about, urgency }) => `${urgency} ${about}`),
    ['now sender', 'now allowance', 'soon allowance', 'soon key'],
  )
})

test('an allowance of zero is somebody’s will', () => {
  const usage = [{ kind: 'otp' as const, monthlyUnits: 0, used: 0, forecast: { will: 'is_out' as const } }]
  assert.deepEqual(attentionOf({ ...none, usage }), [])
})

test('a key that was rotated runs out in silence, and one that nobody follows does not', () => {
  const [born, ends] = [later(now, -90 * DAY_MS), later(now, DAY_MS)]
  const rotated = [key('checkout', born, ends), key('checkout', now, null)]
  assert.deepEqual(attentionOf({ ...none, keys: rotated }), [])
  assert.equal(attentionOf({ ...none, keys: [key('checkout', born, ends), key('other', now, null)] }).length, 1)
  assert.deepEqual(attentionOf({ ...none, keys: [key('gone', born, born)] }), [])
})
