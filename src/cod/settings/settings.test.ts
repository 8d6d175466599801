import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { translatorOf } from '../../../locales/resources.ts'
import { languageStarts } from './language-starts.ts'
import { ENGLISH } from '../../../test/world/cod.ts'
import { diffSettings } from './settings-changes.ts'
import { type CodSettings, readCodSettings, WEEKDAYS } from './settings.ts'

const guide = readFileSync(new URL('../../../docs/cod-settings.md', import.meta.url), 'utf8')

const { texts } = ENGLISH
const english = { texts, timeRanges: ['09:00-12:00'], refusalReasons: ['Too late'] }

/** The smallest file, with the given changes. */
const file = (more: object = {}): unknown => ({ timeZone: 'Africa/Casablanca', languages: { en: english }, ...more })
const inEnglish = (more: object): unknown => file({ languages: { en: { ...english, ...more } } })
const withTexts = (more: object): unknown => inEnglish({ texts: { ...texts, ...more } })

/** The default that the guide's table states for each setting of the workspace. */
const documented = Object.fromEntries(
  [...guide.matchAll(/^\| `([^<`]+)` \|.*\| (.+) \|$/gm)].map(([, name = '', value = '']) => [name, value]),
)

/** As the table states it. */
function written(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (typeof value === 'number') return value.toLocaleString('en')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

test('the smallest file gets the documented defaults', () => {
  const { languages, ...settings } = settingsOf(file())
  assert.deepEqual(languages, { en: { ...english, closingMessages: { confirmation: null, refusal: null } } })
  const { timeZone, ...stored } = Object.fromEntries(
    diffSettings(undefined, { ...settings, languages: {} }).map(({ pointer, after }) => [
      pointer.slice(1).replaceAll('/', '.'),
      written(after),
    ]),
  )
  assert.deepEqual({ timeZone, ...stored, languages: 'none' }, { ...documented, timeZone: 'Africa/Casablanca' })
})

test('stored settings can be set again unchanged', () => {
  const stored = settingsOf(file({ confirmation: { reminderMinutes: 15 } }))
  assert.deepEqual(settingsOf(JSON.parse(JSON.stringify(stored))), stored)
})

test('the guide’s example is accepted, with each of its values unchanged', () => {
  const example = JSON.parse(/<!-- example -->\n```json\n([^]*?)```/.exec(guide)?.[1] ?? '') as object
  assert.partialDeepStrictEqual(settingsOf(example), example)
})

const languages = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`en_${100 + index}`, english]))

/** The settings, the pointer of the fault and its text. Without a pointer the value is the last one that is still valid. */
const edges: readonly [string, unknown, string | undefined, RegExp?][] = [
  ['15 minutes to the reminder', file({ refusal: { reminderMinutes: 15 } }), undefined],
  ['14 minutes to the reminder', file({ refusal: { reminderMinutes: 14 } }), '/refusal/reminderMinutes', /15 to 4,320/],
  ['4,320 minutes to the reminder', file({ refusal: { reminderMinutes: 4320, noResponseMinutes: 4321 } }), undefined],
  [
    '4,321 minutes to the reminder',
    file({ refusal: { reminderMinutes: 4321, noResponseMinutes: 10_080 } }),
    '/refusal/reminderMinutes',
    /a whole number of minutes from 15 to 4,320/,
  ],
  ['60 minutes to the deadline', file({ confirmation: { noResponseMinutes: 60 } }), undefined],
  ['59 minutes to the deadline', file({ confirmation: { noResponseMinutes: 59 } }), '/confirmation/noResponseMinutes'],
  ['10,080 minutes to the deadline', file({ confirmation: { noResponseMinutes: 10_080 } }), undefined],
  ['10,081 minutes', file({ confirmation: { noResponseMinutes: 10_081 } }), '/confirmation/noResponseMinutes'],
  ['half a minute', file({ confirmation: { noResponseMinutes: 60.5 } }), '/confirmation/noResponseMinutes', /whole/],
  [
    'minutes as a text',
    file({ confirmation: { noResponseMinutes: '60' } }),
    '/confirmation/noResponseMinutes',
    /whole/,
  ],
  ['no deadline', file({ confirmation: { noResponseMinutes: null } }), '/confirmation/noResponseMinutes', /whole/],
  [
    'a reminder at the deadline',
    file({ confirmation: { reminderMinutes: 60, noResponseMinutes: 60 } }),
    '/confirmation/noResponseMinutes',
    /later than the reminder/,
  ],
  [
    'a reminder after the deadline’s default',
    file({ confirmation: { reminderMinutes: 1440 } }),
    '/confirmation/noResponseMinutes',
    /1,440 minutes is not after 1,440/,
  ],
  ['no day to offer', file({ deliveryDays: { offered: 0 } }), '/deliveryDays/offered', /1 to 3/],
  ['four days to offer', file({ deliveryDays: { offered: 4 } }), '/deliveryDays/offered', /1 to 3/],
  ['six weekdays to skip', file({ deliveryDays: { skipWeekdays: WEEKDAYS.slice(1) } }), undefined],
  [
    'all weekdays to skip',
    file({ deliveryDays: { skipWeekdays: WEEKDAYS } }),
    '/deliveryDays/skipWeekdays',
    /at most 6/,
  ],
  [
    'a weekday twice',
    file({ deliveryDays: { skipWeekdays: ['friday', 'sunday', 'friday'] } }),
    '/deliveryDays/skipWeekdays/2',
    /repeats an earlier item/,
  ],
  ['a weekday in capitals', file({ deliveryDays: { skipWeekdays: ['Friday'] } }), '/deliveryDays/skipWeekdays/0'],
  ['no time zone', file({ timeZone: undefined }), '/timeZone', /^is required$/],
  ['a question of 1,024 letters', withTexts({ dayQuestion: 'x'.repeat(1024) }), undefined],
  ['one of 1,025', withTexts({ dayQuestion: 'x'.repeat(1025) }), '/languages/en/texts/dayQuestion', /1,024/],
  ['a list question of 4,096', withTexts({ refusalReasonQuestion: 'x'.repeat(4096) }), undefined],
  ['one of 4,097', withTexts({ refusalReasonQuestion: 'x'.repeat(4097) }), '/languages/en/texts/refusalReasonQuestion'],
  ['a question on two lines', withTexts({ timeQuestion: 'At what\ntime?' }), undefined],
  ['a question with NUL', withTexts({ timeQuestion: 'At\0' }), '/languages/en/texts/timeQuestion', /control/],
  ['half an emoji', withTexts({ timeQuestion: 'At \ud83d' }), '/languages/en/texts/timeQuestion', /surrogate/],
  ['a blank question', withTexts({ timeQuestion: ' \n ' }), '/languages/en/texts/timeQuestion', /^must not be blank$/],
  [
    'a question of what shows nothing',
    withTexts({ timeQuestion: '\u200b\u3164\u2800' }),
    '/languages/en/texts/timeQuestion',
  ],
  ['no note prompt', withTexts({ notePrompt: undefined }), '/languages/en/texts/notePrompt', /^is required$/],
  ['a list button of 20 letters', withTexts({ reasonsListButton: 'x'.repeat(20) }), undefined],
  ['one of 21', withTexts({ reasonsListButton: 'x'.repeat(21) }), '/languages/en/texts/reasonsListButton', /20/],
  ['an Other of 24 letters', withTexts({ otherLabel: 'x'.repeat(24) }), undefined],
  ['one of 25', withTexts({ otherLabel: 'x'.repeat(25) }), '/languages/en/texts/otherLabel', /24/],
  ['a label of 20 emoji', inEnglish({ timeRanges: ['🌙'.repeat(20)] }), undefined],
  ['a label of 21', inEnglish({ timeRanges: ['🌙'.repeat(21)] }), '/languages/en/timeRanges/0', /20/],
  ['a label on two lines', inEnglish({ timeRanges: ['9\n12'] }), '/languages/en/timeRanges/0', /one line/],
  ['no time range', inEnglish({ timeRanges: [] }), '/languages/en/timeRanges', /1 to 3/],
  ['four time ranges', inEnglish({ timeRanges: ['a', 'b', 'c', 'd'] }), '/languages/en/timeRanges', /1 to 3/],
  [
    'ranges that differ in blanks',
    inEnglish({ timeRanges: ['9-12', ' 9-12 '] }),
    '/languages/en/timeRanges/1',
    /repeats an earlier item/,
  ],
  [
    'ranges that look alike',
    inEnglish({ timeRanges: ['é', 'e\u0301'] }),
    '/languages/en/timeRanges/1',
    /repeats an earlier item/,
  ],
  ['nine reasons', inEnglish({ refusalReasons: Array.from('abcdefghi') }), undefined],
  ['ten reasons', inEnglish({ refusalReasons: Array.from('abcdefghij') }), '/languages/en/refusalReasons', /1 to 9/],
  ['a reason of 24 letters', inEnglish({ refusalReasons: ['x'.repeat(24)] }), undefined],
  ['one of 25', inEnglish({ refusalReasons: ['x'.repeat(25)] }), '/languages/en/refusalReasons/0', /24/],
  [
    'the Other label among the reasons',
    inEnglish({ refusalReasons: ['Late', 'Other '] }),
    '/languages/en/refusalReasons/1',
    /differ from the label of the Other row/,
  ],
  ['no closing message', inEnglish({ closingMessages: { refusal: null } }), undefined],
  ['a blank one', inEnglish({ closingMessages: { refusal: '' } }), '/languages/en/closingMessages/refusal', /blank/],
  ['an unknown language', file({ languages: { xqz_AB: english } }), undefined],
  [
    'a language in small letters',
    file({ languages: { en_us: english } }),
    '/languages/en_us',
    /such as ar, en or en_US/,
  ],
  ['a language as browsers write it', file({ languages: { 'en-US': english } }), '/languages/en-US'],
  ['a language named __proto__', JSON.parse('{"timeZone":"UTC","languages":{"__proto__":{}}}'), '/languages/__proto__'],
  ['200 languages', file({ languages: languages(200) }), undefined],
  ['201 languages', file({ languages: languages(201) }), '/languages', /at most 200/],
  ['languages in a list', file({ languages: [english] }), '/languages', /must be an object/],
  ['a misspelt member', file({ 'reminder/~': 5 }), '/reminder~1~0', /^is not a setting$/],
  ['a misspelt text', withTexts({ dayQestion: 'x' }), '/languages/en/texts/dayQestion', /^is not a setting$/],
  ['a list', [], '', /must be an object/],
]

for (const [what, json, pointer, detail] of edges) {
  test(`${what} ${pointer === undefined ? 'is accepted' : `is a fault of ${pointer || 'the whole'}`}`, () => {
    const faults = faultsOf(json)
    assert.deepEqual(
      faults.map((fault) => fault.pointer),
      pointer === undefined ? [] : [pointer],
    )
    if (detail) assert.match(faults[0]?.detail ?? '', detail)
  })
}

test('all faults are reported together, including those between two values', () => {
  const pointers = faultsOf({
    timeZone: '+01:00',
    deliveryDays: { offered: 9, skipWeekdays: ['friday', 'Friday', 'friday'] },
    confirmation: { reminderMinutes: 120, noResponseMinutes: 60, colour: 'red' },
    languages: {
      en: {
        texts: { ...texts, notePrompt: '', otherLabel: 'Late' },
        timeRanges: ['x'.repeat(21), 5, 'same', 'same'],
        refusalReasons: ['Late'],
      },
      'not a language': {},
      fr: null,
    },
    colour: 'red',
  }).map(({ pointer }) => pointer)
  assert.deepEqual(pointers.sort(), [
    '/colour',
    '/confirmation/colour',
    '/confirmation/noResponseMinutes',
    '/deliveryDays/offered',
    '/deliveryDays/skipWeekdays/1',
    '/deliveryDays/skipWeekdays/2',
    '/languages/en/refusalReasons/0',
    '/languages/en/texts/notePrompt',
    '/languages/en/timeRanges',
    '/languages/en/timeRanges/0',
    '/languages/en/timeRanges/1',
    '/languages/en/timeRanges/3',
    '/languages/fr',
    '/languages/not a language',
    '/timeZone',
  ])
})

test('any IANA time zone is accepted, in the database’s spelling', () => {
  for (const [sent, kept] of [
    ['africa/casablanca', 'Africa/Casablanca'],
    [' Asia/Karachi\n', 'Asia/Karachi'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Egypt', 'Egypt'],
    ['utc', 'UTC'],
    ['GMT', 'GMT'],
    ['cet', 'CET'],
    ['EET', 'EET'],
    ['EST', 'EST'],
    ['EST5EDT', 'EST5EDT'],
    ['nz', 'NZ'],
    ['GB', 'GB'],
    ['gb-eire', 'GB-Eire'],
    ['GMT+0', 'GMT+0'],
    ['Etc/GMT-3', 'Etc/GMT-3'],
  ]) {
    assert.equal(settingsOf(file({ timeZone: sent })).timeZone, kept)
  }
})

test('offsets, timestamps and unknown names are not time zones', () => {
  const wrong = [
    '+02:00',
    '-0300',
    '+02',
    'UTC+3',
    'GMT+05:00',
    'CEST',
    'IST',
    'Z',
    '',
    'Africa',
    'Mars/Base',
    'Etc/Unknown',
  ]
  for (const timeZone of [...wrong, '2026-01-01T00:00[Africa/Cairo]', 'Africa/Cairo\0', 5, null]) {
    assert.deepEqual(
      faultsOf(file({ timeZone })).map(({ pointer }) => pointer),
      ['/timeZone'],
      String(timeZone),
    )
  }
})

test('texts are trimmed', () => {
  const { languages } = settingsOf(inEnglish({ refusalReasons: [' Too late ', '\tDamaged'] }))
  assert.deepEqual(languages['en']?.refusalReasons, ['Too late', 'Damaged'])
})

test('no JSON makes the reader throw, and accepted settings can be set again', () => {
  const broken = fc.tuple(
    fc.constantFrom('timeZone', 'deliveryDays', 'confirmation', 'refusal', 'languages'),
    fc.jsonValue(),
  )
  const json = fc.oneof(
    fc.jsonValue(),
    broken.map(([name, value]) => file({ [name]: value })),
  )
  fc.assert(
    fc.property(json, (value) => {
      const outcome = readCodSettings(value)
      if ('settings' in outcome) assert.deepEqual(settingsOf(outcome.settings), outcome.settings)
      else assert.ok(outcome.faults.length > 0)
    }),
  )
})

test('a list of 300,000 items is too long, and only its first items are examined', () => {
  const items = Array.from({ length: 300_000 }, (_, index) => (index < 1_000 ? `${index}` : 1))
  const pointers = faultsOf(inEnglish({ timeRanges: items })).map(({ pointer }) => pointer)
  assert.deepEqual(pointers, ['/languages/en/timeRanges'])
})

function settingsOf(json: unknown): CodSettings {
  const outcome = readCodSettings(json)
  assert.ok('settings' in outcome, JSON.stringify(outcome))
  return outcome.settings
}

function faultsOf(json: unknown): { pointer: string; detail: string }[] {
  const outcome = readCodSettings(JSON.parse(JSON.stringify(json)))
  if (!('faults' in outcome)) return []
  return outcome.faults.map(({ pointer, detail }) => {
    assert.match(translatorOf('ar').textOf(detail), /^[^{]*[\u0600-\u06ff][^{]*$/)
    return { pointer, detail: translatorOf('en').textOf(detail) }
  })
}

test('the default texts are valid settings', () => {
  assert.deepEqual(settingsOf({ timeZone: 'UTC', languages: languageStarts }).languages, languageStarts)
})
