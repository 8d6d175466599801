import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { groups } from '../../src/commands/table.ts'
import { codesOf, parametersOf } from '../../locales/codes.ts'
import { generatedTypes } from '../../locales/generate.ts'
import { readResources } from '../../locales/resources.ts'
import { LANGUAGES, type Language, type Resources } from '../../locales/text.ts'

const LOCALES = path.resolve(import.meta.dirname, '../../locales')
const english = readResources('en')

test('the generated types of texts match the English files', async () => {
  const written = await readFile(path.join(LOCALES, 'coded-text.gen.ts'), 'utf8')
  assert.equal(written, generatedTypes(), 'run "npm run locales"')
})

test('keys are snake_case and parameters camelCase', () => {
  for (const [namespace, texts] of Object.entries(english)) {
    for (const name of [namespace, ...Object.keys(texts)]) assert.match(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    for (const text of Object.values(texts)) {
      assert.notEqual(text, '', 'i18next shows the key of an empty text')
      assert.doesNotMatch(text.replaceAll(/\{\{[a-z][a-zA-Z]*\}\}/g, ''), /\{\{|\}\}/, text)
      assert.ok(!parametersOf(text).includes('code'), text)
    }
  }
})

/** The plural forms that a code needs in a language, or its single text. */
function formsOf(language: Language, isPlural: boolean): string[] {
  return isPlural ? new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted() : ['']
}

function differences(language: Language, texts: Resources): string[] {
  const found: string[] = []
  for (const namespace of new Set([...Object.keys(english), ...Object.keys(texts)])) {
    const [expected, actual] = [codesOf(english[namespace] ?? {}), codesOf(texts[namespace] ?? {})]
    for (const code of new Set([...expected.keys(), ...actual.keys()])) {
      const [forms, own] = [expected.get(code), actual.get(code)]
      const where = `${namespace}.${code}`
      if (!forms || !own) {
        found.push(`${where} is ${forms ? 'missing' : 'not in English'}`)
        continue
      }
      const isPlural = !forms.has('')
      const missing = formsOf(language, isPlural).filter((form) => !own.has(form))
      const more = [...own.keys()].filter((form) => form !== 'zero' && !formsOf(language, isPlural).includes(form))
      if (missing.length + more.length > 0)
        found.push(`${where}: lacks [${missing.join(' ')}], has [${more.join(' ')}] beyond its forms`)
      const names = (all: ReadonlyMap<string, string>) =>
        [...new Set([...all.values()].flatMap(parametersOf))]
          .filter((name) => !isPlural || name !== 'count')
          .toSorted()
          .join(' ')
      for (const [form, text] of own) {
        const single = names(new Map([[form, text]]))
        if (single !== names(forms)) found.push(`${where}${form && `_${form}`}: has the parameters [${single}]`)
      }
    }
  }
  return found
}

for (const language of LANGUAGES) {
  test(`${language} has every text of English with its parameters and plural forms`, () => {
    assert.deepEqual(differences(language, readResources(language)), [])
  })
}

test('French has no-break spaces before its high punctuation and inside its quotes', () => {
  const wrong = Object.values(readResources('fr'))
    .flatMap(Object.values<string>)
    .filter((text) => /[^\s\u202f\u00a0] [:;!?»]|« |\p{L}[;!?»]|\p{L}: |’[^\p{L}\p{N}{]|'/u.test(text))
  assert.deepEqual(wrong, [])
})

const WORDS = groups.flatMap(({ commands }) => commands.map(({ words }) => words))

/** A quote that begins with a command, without the program's name. Words such as `start` are also names of other things. */
const UNNAMED = new RegExp(
  `["“\\u2066\`](?:${WORDS.filter((words) => words.includes(' ')).join('|')})\\b|«[\u202f\u00a0](?:${WORDS.join('|')})[\u202f\u00a0]»|[“\\u2066](?:${WORDS.join('|')})[”\\u2069]`,
)

/** The program, as a person of one installation calls it. */
const OTHER_NAME = /npm run -s doorcode|(?<!["“`\u2066]|«[\u202f\u00a0])doorcode [a-z]/

/** `withTypedCommands` writes it as its reader calls the program. */
test('every text names a command in one way, in quotes: “doorcode endpoint list”', async () => {
  const texts = LANGUAGES.flatMap((language) =>
    Object.entries(readResources(language)).flatMap(([name, all]) =>
      Object.entries(all).map(([key, text]) => ({ where: `${language}/${name}.${key}`, text })),
    ),
  )
  const wrong = texts.filter(({ text }) => UNNAMED.test(text) || OTHER_NAME.test(text)).map(({ where }) => where)
  for await (const name of glob('src/**/*.ts', { cwd: path.join(LOCALES, '..') })) {
    if (name.endsWith('.test.ts')) continue
    const source = await readFile(path.join(LOCALES, '..', name), 'utf8')
    const literals = source.replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '').match(/'[^'\n]*'|`[^`]*`/g) ?? []
    wrong.push(...literals.filter((text) => UNNAMED.test(text.slice(1))).map((text) => `${name}: ${text}`))
  }
  assert.deepEqual(wrong, [])
})

/** Pages that errors lead to, by the code of their name. */
const NAMED_PAGES = {
  api_key_invalid_fix: 'keys',
  recipient_blocked_fix: 'blocked',
  otp_quota_exceeded_fix: 'settings',
  cod_quota_exceeded_fix: 'settings',
} as const

test('the page of an error names pages of the dashboard as the dashboard does', () => {
  for (const language of ['en', 'fr'] as const) {
    const { page_problems: problems, page_shell: shell } = readResources(language)
    for (const [code, page] of Object.entries(NAMED_PAGES))
      assert.ok(problems?.[code]?.includes(shell?.[page] ?? '?'), `${language}: ${code}`)
  }
})
