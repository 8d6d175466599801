import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TimelineEntry, byDay, cutAtInstants, isMuted, isToCome, marksOf } from './marks.ts'

const entry = (fields: Partial<TimelineEntry>): TimelineEntry => ({
  at: '2026-11-20T10:00:00.000Z',
  what: 'report',
  detail: { code: 'text', text: '' },
  ...fields,
})

const utcDay = (at: Date): string => at.toISOString().slice(0, 10)

test('only an ignored report is muted and marked as ignored', () => {
  const ignored = entry({ report: 'sent', outcome: 'ignored' })
  assert.equal(isMuted(ignored), true)
  assert.deepEqual(marksOf(ignored), [
    { status: 'sent', tone: 'neutral' },
    { word: 'ignored', tone: 'neutral' },
  ])
  assert.equal(isMuted(entry({ report: 'sent', outcome: 'applied' })), false)
})

test('a webhook shows its HTTP status, no response, or that it is upcoming', () => {
  const webhook = (fields: Record<string, unknown>): TimelineEntry => entry({ what: 'webhook', ...fields })
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 204, error: null })), [
    { text: 'HTTP 204', tone: 'success' },
  ])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 500, error: null })), [
    { text: 'HTTP 500', tone: 'failure' },
  ])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: null })), [{ word: 'no_answer', tone: 'failure' }])
  const pending = webhook({ status: 'pending' })
  assert.deepEqual(marksOf(pending), [{ word: 'to_come', tone: 'warning' }])
  assert.equal(isToCome(pending), true)
})

test('an unknown outcome shows nothing and does not fail', () => {
  assert.deepEqual(marksOf(entry({ what: 'attempt', outcome: 'constructor' })), [])
})

test('entries are grouped by day, each with the time since the previous one', () => {
  const days = byDay(
    [
      entry({ at: '2026-11-20T23:59:59.500Z' }),
      entry({ at: '2026-11-20T23:59:59.500Z' }),
      entry({ at: '2026-11-21T00:00:01.500Z' }),
    ],
    utcDay,
  )
  assert.deepEqual(
    days.map(({ day, entries }) => [day, entries.map(({ sinceMs }) => sinceMs)]),
    [
      ['2026-11-20', [undefined, undefined]],
      ['2026-11-21', [2_000]],
    ],
  )
})

test('a sentence is cut at the instants in it and loses nothing', () => {
  const sentence = 'tried again at 2026-11-20T12:00:04.000Z, then 2026-11-20T12:01:04Z.'
  const parts = cutAtInstants(sentence)
  assert.deepEqual([parts[1], parts[3]], ['2026-11-20T12:00:04.000Z', '2026-11-20T12:01:04Z'])
  assert.equal(parts.join(''), sentence)
})
