import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, later } from '../../lib/clock.ts'
import { type AttentionFacts, attentionItems } from './attention.ts'

const now = new Date('2026-11-21T12:00:00Z')
const none: AttentionFacts = {
  accounts: [],
  senders: [],
  templates: [],
  endpoints: [],
  usage: [],
  keys: [],
  quarantined: 0,
  pumped: [],
  guessing: undefined,
  now,
}

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
const sender = (obstacle: AttentionFacts['senders'][number]['obstacle']) => ({
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
  breakerOpenUntil: null,
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

test('a healthy workspace needs no attention', () => {
  const usage = [{ kind: 'otp' as const, monthlyUnits: 9, used: 1, forecast: { will: 'lasts' as const } }]
  const keys = [key('checkout', now, null), key('old', now, later(now, 30 * DAY_MS))]
  const facts = { ...none, accounts: [account('connected')], senders: [sender(null)], usage, keys }
  assert.deepEqual(attentionItems(facts), [])
})

test('an invalid token is reported once for the account, not for each sender', () => {
  const facts = { ...none, accounts: [account('credentials_invalid')], senders: [sender('account'), sender('account')] }
  assert.deepEqual(
    attentionItems(facts).map(({ about }) => about),
    ['account'],
  )
})

test('failures come before warnings', () => {
  const usage = [
    { kind: 'otp' as const, monthlyUnits: 9, used: 1, forecast: { will: 'runs_out' as const, at: later(now, DAY_MS) } },
    { kind: 'cod_refusal' as const, monthlyUnits: 9, used: 9, forecast: { will: 'is_out' as const } },
  ]
  const facts = { ...none, usage, senders: [sender('paused')], keys: [key('checkout', now, later(now, DAY_MS))] }
  assert.deepEqual(
    attentionItems(facts).map(({ about, level }) => `${level} ${about}`),
    ['failure quota', 'warning sender', 'warning quota', 'warning key'],
  )
})

test('a quota of zero needs no attention', () => {
  const usage = [{ kind: 'otp' as const, monthlyUnits: 0, used: 0, forecast: { will: 'is_out' as const } }]
  assert.deepEqual(attentionItems({ ...none, usage }), [])
})

test('an expiring key is reported unless an active key replaces it', () => {
  const [born, ends] = [later(now, -90 * DAY_MS), later(now, DAY_MS)]
  const rotated = [key('checkout', born, ends), key('checkout', now, null)]
  assert.deepEqual(attentionItems({ ...none, keys: rotated }), [])
  assert.equal(attentionItems({ ...none, keys: [key('checkout', born, ends), key('other', now, null)] }).length, 1)
  assert.deepEqual(attentionItems({ ...none, keys: [key('gone', born, born)] }), [])
})

test('quarantined jobs are reported with their number', () => {
  assert.deepEqual(attentionItems({ ...none, quarantined: 3 }), [{ about: 'quarantine', level: 'failure', count: 3 }])
})
