import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ENGLISH } from '../../../test/world/cod.ts'
import { type ComposedPurpose, type MessageContext, composeMessage } from './questions.ts'
import { decodeReply } from './replies.ts'
import { type CodSettings, readCodSettings, type Weekday, WEEKDAYS } from '../settings/settings.ts'

const QUESTION = '019ad8d5-11a0-7c44-8e0b-7a2d9c1f6e35'

const settings = (
  timeZone = 'Africa/Casablanca',
  deliveryDays: Partial<CodSettings['deliveryDays']> = {},
): CodSettings => {
  const outcome = readCodSettings({
    timeZone,
    deliveryDays,
    languages: {
      en: { ...ENGLISH, closingMessages: { confirmation: 'Thank you!' } },
    },
  })
  assert.ok('settings' in outcome)
  return outcome.settings
}

const offeredAt = (now: string, of: CodSettings): string[] =>
  made('day_question', { settings: of, now: new Date(now) }).offered

/** Times at which the zone's local day begins, ends or jumps, with the local date of tomorrow. */
const tomorrows: readonly [string, string, string, string][] = [
  // Clocks go forward at midnight on 24 April 2026: the 24th begins at 01:00.
  ['Africa/Cairo', 'before the day without a midnight', '2026-04-23T21:59:59.999Z', '2026-04-24'],
  ['Africa/Cairo', 'in the first moment of the day without a midnight', '2026-04-23T22:00:00Z', '2026-04-25'],
  // Clocks go back at midnight at the end of 29 October 2026: 23:00 to 24:00 happens twice.
  ['Africa/Cairo', 'in the first 23:30 of the long day', '2026-10-29T20:30:00Z', '2026-10-30'],
  ['Africa/Cairo', 'in the second 23:30 of the long day', '2026-10-29T21:30:00Z', '2026-10-30'],
  ['Africa/Cairo', 'after the long day', '2026-10-29T22:00:00Z', '2026-10-31'],
  // UTC+1, but UTC+0 in Ramadan: from 15 February to 22 March 2026.
  ['Africa/Casablanca', 'before Ramadan', '2026-02-13T23:00:00Z', '2026-02-15'],
  ['Africa/Casablanca', 'in Ramadan at 23:30', '2026-03-01T23:30:00Z', '2026-03-02'],
  ['Africa/Casablanca', 'after Ramadan at 00:30', '2026-03-22T23:30:00Z', '2026-03-24'],
  // UTC+3 the whole year since 2022.
  ['Asia/Amman', 'in summer at midnight', '2026-07-01T21:00:00Z', '2026-07-03'],
  ['Asia/Amman', 'in winter at midnight', '2026-12-01T21:00:00Z', '2026-12-03'],
  ['Asia/Amman', 'in winter before midnight', '2026-12-01T20:59:59Z', '2026-12-02'],
  // Clocks go forward at midnight on 29 March 2026 and back at the end of 24 October.
  ['Asia/Beirut', 'before the day without a midnight', '2026-03-28T21:59:59Z', '2026-03-29'],
  ['Asia/Beirut', 'in the first moment of the day without a midnight', '2026-03-28T22:00:00Z', '2026-03-30'],
  ['Asia/Beirut', 'in the second 23:30 of the long day', '2026-10-24T21:30:00Z', '2026-10-25'],
  ['Asia/Beirut', 'after the long day', '2026-10-24T22:00:00Z', '2026-10-26'],
  ['Asia/Karachi', 'before midnight', '2026-06-30T18:59:59Z', '2026-07-01'],
  ['Asia/Karachi', 'at midnight', '2026-06-30T19:00:00Z', '2026-07-02'],
  ['Asia/Karachi', 'at the end of the year', '2026-12-30T19:00:00Z', '2027-01-01'],
  ['Africa/Cairo', 'before a leap day', '2028-02-28T12:00:00Z', '2028-02-29'],
]

for (const [zone, when, now, tomorrow] of tomorrows) {
  test(`${zone} ${when}: the first day offered is ${tomorrow}`, () => {
    const [first] = offeredAt(now, settings(zone))
    assert.equal(first, tomorrow)
  })
}

test('days on which the clocks change are offered once', () => {
  assert.deepEqual(offeredAt('2026-04-22T22:30:00Z', settings('Africa/Cairo')), [
    '2026-04-24',
    '2026-04-25',
    '2026-04-26',
  ])
  assert.deepEqual(offeredAt('2026-10-28T12:00:00Z', settings('Africa/Cairo')), [
    '2026-10-29',
    '2026-10-30',
    '2026-10-31',
  ])
})

test('weekdays without deliveries are skipped, without offering fewer days', () => {
  const thursday = '2026-11-26T12:00:00Z'
  assert.deepEqual(offeredAt(thursday, settings('Asia/Karachi', { skipWeekdays: ['friday', 'sunday'] })), [
    '2026-11-28',
    '2026-11-30',
    '2026-12-01',
  ])
  const onlyThursdays = WEEKDAYS.filter((name) => name !== 'thursday')
  assert.deepEqual(offeredAt(thursday, settings('Asia/Karachi', { skipWeekdays: onlyThursdays })), [
    '2026-12-03',
    '2026-12-10',
    '2026-12-17',
  ])
})

test('the configured number of allowed days is always offered, from tomorrow, in order', () => {
  const skipped = fc.uniqueArray(fc.constantFrom<Weekday>(...WEEKDAYS), { maxLength: 6 })
  const zone = fc.constantFrom('Africa/Cairo', 'Africa/Casablanca', 'Asia/Amman', 'Asia/Beirut', 'Asia/Karachi', 'UTC')
  const now = fc.date({ min: new Date('2024-01-01'), max: new Date('2036-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(zone, skipped, fc.integer({ min: 1, max: 3 }), now, (timeZone, skipWeekdays, offered, at) => {
      const dates = offeredAt(at.toISOString(), settings(timeZone, { offered, skipWeekdays }))
      const today = new Date(at).toLocaleDateString('sv', { timeZone })
      assert.equal(dates.length, offered)
      assert.deepEqual([today, ...dates], [...new Set([today, ...dates])].sort())
      for (const date of dates)
        assert.ok(!skipWeekdays.includes(WEEKDAYS[Temporal.PlainDate.from(date).dayOfWeek - 1] ?? 'monday'))
    }),
  )
})

test('the day question shows labels and stores dates', () => {
  const now = new Date('2026-11-24T12:00:00Z')
  assert.deepEqual(made('day_question', { now }), {
    content: {
      type: 'buttons',
      body: 'Which day?',
      buttons: [
        { id: `dc1:q:${QUESTION}:0`, title: 'Wednesday, Nov 25' },
        { id: `dc1:q:${QUESTION}:1`, title: 'Thursday, Nov 26' },
        { id: `dc1:q:${QUESTION}:2`, title: 'Friday, Nov 27' },
      ],
    },
    offered: ['2026-11-25', '2026-11-26', '2026-11-27'],
  })
})

test('questions offer the configured ranges and reasons, with Other last', () => {
  assert.deepEqual(made('time_question').offered, ['09:00-12:00', '12:00-18:00'])
  assert.deepEqual(made('reasons_question'), {
    content: {
      type: 'list',
      body: 'Why?',
      button: 'Reasons',
      rows: [
        { id: `dc1:q:${QUESTION}:0`, title: 'Too late' },
        { id: `dc1:q:${QUESTION}:1`, title: 'Damaged' },
        { id: `dc1:q:${QUESTION}:2`, title: 'Other' },
      ],
    },
    offered: ['Too late', 'Damaged', 'Other'],
  })
})

test('each choice carries its question and its index', () => {
  for (const purpose of ['day_question', 'time_question', 'reasons_question'] as const) {
    const { content, offered } = made(purpose)
    const choices = content.type === 'buttons' ? content.buttons : content.type === 'list' ? content.rows : []
    assert.deepEqual(
      choices.map(({ id }) => decodeReply(id)),
      offered.map((_, index) => ({ to: 'question', questionId: QUESTION, index })),
    )
  }
})

test('each check has its own closing message, or none', () => {
  const text = (body: string) => ({ content: { type: 'text', body } })
  assert.deepEqual(composeMessage('closing', composing({ check: 'confirmation' })), text('Thank you!'))
  assert.equal(composeMessage('closing', composing({ check: 'refusal' })), undefined)
  assert.deepEqual(composeMessage('note_prompt', composing()), text('Tell us more'))
})

test('nothing is asked in a language that was removed from the settings', () => {
  for (const language of ['en_US', 'constructor', '__proto__', '']) {
    for (const purpose of ['day_question', 'time_question', 'reasons_question', 'note_prompt', 'closing'] as const)
      assert.equal(composeMessage(purpose, composing({ language })), undefined)
  }
})

function made(purpose: ComposedPurpose, changed: Partial<MessageContext> = {}) {
  const { content, offered } = composeMessage(purpose, composing(changed)) ?? {}
  assert.ok(content && offered)
  return { content, offered }
}

const composing = (changed: Partial<MessageContext> = {}): MessageContext => ({
  settings: settings(),
  language: 'en',
  questionId: QUESTION,
  now: new Date(),
  check: 'confirmation',
  ...changed,
})
