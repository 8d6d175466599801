import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOfCode } from './code-parts.ts'

const kindsIn = (code: string): string[] =>
  partsOfCode(code)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind} ${text}`)

test('the parts of an example are the example, also where a quote is open', () => {
  for (const code of ['', `curl 'a' \\\n  -H "b: $c" # it's`, `print(json.load(f"{x['y']}"))`, 'echo "no end'])
    assert.equal(
      partsOfCode(code)
        .map(({ text }) => text)
        .join(''),
      code,
    )
})

test('a quote in a comment begins no text, and an address in quotes is no comment', () => {
  assert.deepEqual(kindsIn(`// It's here\nconst url = 'https://sms.example' # "so"`), [
    "comment // It's here",
    'keyword const',
    "text 'https://sms.example'",
    'comment # "so"',
  ])
  assert.deepEqual(kindsIn(String.raw`{"a": "say \"if\"", "b": true}`), [
    'text "a"',
    String.raw`text "say \"if\""`,
    'text "b"',
    'keyword true',
  ])
})
