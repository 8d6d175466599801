import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { declared, findSentence } from '../../src/sentences.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** Names that Arabic texts write in Latin letters. */
const NAMES = /\b(Doorcode|Webhook|HTTPS?|API|Meta|Graph|Flow|UTC|Google|Sender ID)\b/g

const factsIn = (text: string): string[] => Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? '').sort()

before(async () => {
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    if (name.endsWith('.test.ts') || name === 'sentences.ts') continue
    const file = path.join(SOURCE, name)
    if (/\b(keptS|s)entences\(/.test(await readFile(file, 'utf8'))) await import(file)
  }
})

test('every sentence is said in Arabic, with the facts that its English tells', () => {
  assert.ok(declared.length > 200, `${declared.length} sentences are not all of them`)
  for (const { en, ar } of declared) {
    assert.deepEqual(factsIn(ar), factsIn(en), en)
    const [english, arabic] = [en, ar].map((text) => text.replaceAll(/\{\w+\}/g, ''))
    if (/[a-z]/i.test(english ?? '')) assert.match(arabic ?? '', /\p{Script=Arabic}/u, en)
    assert.doesNotMatch((arabic ?? '').replaceAll(NAMES, ''), /[a-z]/i, `${ar} has words that are not Arabic`)
  }
})

test('Arabic ends its sentences where English does, and has punctuation of its own', () => {
  for (const { en, ar } of declared) {
    assert.equal(ar.endsWith('.'), en.endsWith('.'), ar)
    assert.doesNotMatch(ar, /(?<!\d),|[;?]/, ar)
  }
})

test('words for a fact are words for a fact that is told, and Arabic', () => {
  for (const { en, words = {} } of declared) {
    for (const [fact, table] of Object.entries(words)) {
      assert.ok(factsIn(en).includes(fact), `${en} tells nothing of ${fact}`)
      for (const word of Object.values(table)) assert.match(word, /^[\p{Script=Arabic}\p{Mn} «»]+$/u, word)
    }
  }
})

test('what is kept as English is found again as itself, and nothing else is found', () => {
  let found = 0
  for (const { en, ar } of declared) {
    const [english, arabic] = [en.replaceAll(/\{\w+\}/g, 'q7'), ar.replaceAll(/\{\w+\}/g, '\u2068q7\u2069')]
    const told = findSentence(english)
    if (!told) continue
    assert.deepEqual(told, { en: english, ar: arabic })
    found += 1
  }
  assert.ok(found > 100, `${found} kept sentences are not all of them`)
  for (const other of ['Recipient blocked', 'a b c', '131026 Message undeliverable', 'must be blue', 'x: y (z)']) {
    assert.equal(findSentence(other), undefined, other)
  }
})
