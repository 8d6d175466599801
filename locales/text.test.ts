import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from './resources.ts'
import { type CodedText, type Resources, asWritten, createTranslator, dateText } from './text.ts'

const en: Resources = {
  words: { quoted: '{{words}}', pair: '{{first}} and {{second}}', only: 'Only in English.' },
  plural: { seen_one: '{{count}} page of {{who}}', seen_other: '{{count}} pages of {{who}}' },
}
const ar: Resources = {
  words: { quoted: '«{{words}}»', pair: '{{first}} ثم {{second}}' },
  plural: { seen_two: 'صفحتان من {{who}}', seen_few: '{{count}} صفحات من {{who}}' },
}
const english = createTranslator('en', { en })
const arabic = createTranslator('ar', { en, ar })
/** Codes of these resources, which the types do not know. */
const coded = (code: string, parameters: object = {}) => ({ code, ...parameters }) as unknown as CodedText

test('a parameter that is a coded text is written in the same language', () => {
  const text = coded('words.pair', { first: 'a1', second: coded('words.quoted', { words: 'b2' }) })
  assert.equal(english.textOf(text), 'a1 and b2')
  assert.equal(arabic.textOf(text), '\u2068a1\u2069 ثم «\u2068b2\u2069»')
})

test('many coded texts are a list in the language', () => {
  const text = coded('words.quoted', { words: [asWritten('a'), asWritten('b')] })
  assert.equal(english.textOf(text), 'a, b')
  assert.equal(arabic.textOf(text), '«\u2068a\u2069، \u2068b\u2069»')
})

test('plural forms follow the rules of the language', () => {
  const seen = (count: number) => coded('plural.seen', { count, who: 'x' })
  assert.equal(english.textOf(seen(1)), '1 page of x')
  assert.equal(english.textOf(seen(3)), '3 pages of x')
  assert.equal(arabic.textOf(seen(2)), 'صفحتان من \u2068x\u2069')
  assert.equal(arabic.textOf(seen(3)), '\u20683\u2069 صفحات من \u2068x\u2069')
})

test('a text that a language lacks is in English', () => {
  assert.equal(arabic.textOf(coded('words.only')), 'Only in English.')
})

test('nothing in a parameter is a placeholder, a look-up or an option', () => {
  for (const words of ['{{second}}', '$t(words.only)', '{{', '}}', '$&', '<b>&amp;</b>', '$1']) {
    assert.equal(english.textOf(coded('words.pair', { first: words, second: words })), `${words} and ${words}`)
  }
  assert.equal(english.textOf(coded('words.quoted', { words: 'x', lng: 'ar', ns: 'plural', defaultValue: 'no' })), 'x')
})

test('what is invisible in a parameter is shown, and cannot break the line or turn it', () => {
  const text = coded('words.pair', { first: 'a\nb', second: '\u202ec\u2069' })
  assert.equal(english.textOf(text), 'a ⏎ b and \\u202ec\\u2069')
  assert.equal(arabic.textOf(text), '\u2068a ⏎ b\u2069 ثم \u2068\\u202ec\\u2069\u2069')
})

test('text as it was written is shown so, and an unknown code as the code', () => {
  assert.equal(english.textOf(asWritten('Sent by an old release.')), 'Sent by an old release.')
  assert.equal(english.textOf(coded('words.of_another_release', { at: 1 })), 'words.of_another_release')
})

test('a date is in words on pages, and as it is elsewhere', () => {
  const resources = { words: { date: '{{date}}' } }
  for (const [language, words] of [
    ['en', 'Wednesday, November 25'],
    ['fr', 'mercredi 25 novembre'],
    ['ar', 'الأربعاء، 25 نوفمبر'],
  ] as const) {
    const pages = createTranslator(language, { [language]: resources }, new Intl.NumberFormat(language))
    assert.equal(pages.textOf(dateText('2026-11-25')), words)
    assert.match(createTranslator(language, { [language]: resources }).textOf(dateText('2026-11-25')), /2026-11-25/)
  }
  const unit: CodedText = { code: 'explain.unit', unit: '3', month: '2026-11' }
  const explain = { explain: { unit: '{{unit}} en {{month}}' } }
  assert.equal(createTranslator('fr', { fr: explain }, new Intl.NumberFormat('fr')).textOf(unit), '3 en novembre 2026')
  assert.equal(createTranslator('fr', { fr: explain }).textOf(unit), '3 en 2026-11')
})

test('texts can be added to a translator, even for a code that was requested before', () => {
  const translator = createTranslator('ar', { ar: {} })
  assert.equal(translator.has('words.quoted'), false)
  assert.equal(translator.t('page_shell.close'), 'page_shell.close')
  translator.addTexts({ words: { quoted: '«{{words}}»' }, page_shell: { close: 'إغلاق' } })
  assert.equal(translator.t('page_shell.close'), 'إغلاق')
  assert.equal(translator.has('words.quoted'), true)
  assert.equal(translator.textOf(coded('words.quoted', { words: 'a' })), '«\u2068a\u2069»')
})

test('a command of an Arabic text has no marks in it, so that it can be copied', () => {
  const arabic = translatorOf('ar')
  const endpointId = '01a1fa06-709a-73f6-8b1e-b4852403567f'
  const fixes = [
    arabic.t('doctor.endpoint_disabled_fix', { endpointId }),
    arabic.t('doctor.endpoint_failing_fix', { endpointId }),
    arabic.t('doctor.endpoint_secret_unreadable_fix', { endpointId }),
  ]
  for (const fix of fixes) {
    const commands = Array.from(fix.matchAll(/\u2066(doorcode [^\u2069]*)\u2069/g), ([, command]) => command ?? '')
    assert.ok(commands.length > 0)
    for (const command of commands)
      assert.match(command, new RegExp(`^doorcode endpoint \\w+ ${endpointId}( --status pending)?$`))
    assert.equal(fix.split(endpointId).length - 1, commands.length, 'no id stands outside its command')
  }
})
