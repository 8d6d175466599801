import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TimelineEntry, byDay, cutAtInstants, isMuted, isToCome, marksOf, spanInWords } from './marks.ts'

const entry = (fields: Partial<TimelineEntry>): TimelineEntry => ({
  at: '2026-11-20T10:00:00.000Z',
  what: 'report',
  detail: '',
  ...fields,
})

const utcDay = (at: Date): string => at.toISOString().slice(0, 10)

test('an ignored report is muted and says so in a word, an applied one is not', () => {
  const ignored = entry({ report: 'sent', outcome: 'ignored' })
  assert.equal(isMuted(ignored), true)
  assert.deepEqual(marksOf(ignored), [
    { word: 'statusSent', tone: 'muted' },
    { word: 'ignored', tone: 'muted' },
  ])
  assert.equal(isMuted(entry({ report: 'sent', outcome: 'applied' })), false)
})

test('a webhook shows its HTTP status, its missing answer, or that it is still to come', () => {
  const webhook = (fields: Record<string, unknown>): TimelineEntry => entry({ what: 'webhook', ...fields })
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 204, error: null })), [{ text: 'HTTP 204', tone: 'good' }])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: 500, error: null })), [{ text: 'HTTP 500', tone: 'bad' }])
  assert.deepEqual(marksOf(webhook({ attempt: 1, httpStatus: null })), [{ word: 'noAnswer', tone: 'bad' }])
  const pending = webhook({ status: 'pending' })
  assert.deepEqual(marksOf(pending), [{ word: 'toCome', tone: 'waiting' }])
  assert.equal(isToCome(pending), true)
})

test('an outcome that this release does not know shows nothing rather than failing', () => {
  assert.deepEqual(marksOf(entry({ what: 'attempt', outcome: 'constructor' })), [])
})

test('entries stand under the day of their zone, each with the time since the one before', () => {
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

test('a span is told in its largest unit', () => {
  assert.equal(spanInWords(340, 'en'), '340 ms')
  assert.equal(spanInWords(2_540, 'en'), '2.5 sec')
  assert.equal(spanInWords(3 * 3_600_000, 'en'), '3 hr')
})

test('a sentence is cut at the instants in it and loses nothing', () => {
  const sentence = 'tried again at 2026-11-20T12:00:04.000Z, then 2026-11-20T12:01:04Z.'
  const parts = cutAtInstants(sentence)
  assert.deepEqual([parts[1], parts[3]], ['2026-11-20T12:00:04.000Z', '2026-11-20T12:01:04Z'])
  assert.equal(parts.join(''), sentence)
})
