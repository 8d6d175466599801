import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

test('commas, quotes and line breaks stay inside their field', () => {
  assert.equal(
    csvLine(['a,b', 'say "no"', 'two\nlines', 'two\r\nlines']),
    '"a,b","say ""no""","two\nlines","two\r\nlines"\r\n',
  )
  assert.equal(csvLine([null, '', 0, false]), ',,0,false\r\n')
})

test('no text can begin a formula, behind whatever characters it hides', () => {
  for (const text of [
    '=1+1',
    '+212612345678',
    '-1',
    '@SUM(1)',
    '\t=1',
    '\r=1',
    '\tplain',
    ' =1',
    '\u200f=1',
    '\u2068@x',
    '＝1',
    '＠x',
  ])
    assert.match(csvLine([text]), /^"?'/, JSON.stringify(text))
  assert.equal(csvLine(['a=1', '٠٦', 'قميص', '(+212)']), 'a=1,٠٦,قميص,(+212)\r\n')
})

test('numbers of ours stay numbers', () => {
  assert.equal(csvLine([-1, 12.5]), '-1,12.5\r\n')
})
