import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

/** Splits like a spreadsheet: a quote opens a quoted part only at the beginning of a cell, and text may follow that part. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= text.length; at += 1) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += 1) {
        cell += text[at]
        if (text[at] === '"') at += 1
      }
      at += 1
    }
    for (; at < text.length && text[at] !== separator && !/[\r\n]/.test(text[at] ?? ''); at += 1) cell += text[at]
    cells.push(cell)
  }
  return cells
}

const runs = (cell: string): boolean =>
  /^[=+\-@＝＋－＠]/.test(cell.replace(/^[\s\p{C}\p{Default_Ignorable_Code_Point}"]+/u, ''))

const formulasIn = (text: string): string[] =>
  [';', ',', '\t'].flatMap((separator) => cellsOf(text, separator)).filter(runs)

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

test('no separator inside a value begins a formula, whether cells are split at ";", "," or tabs', () => {
  const hidden = [
    '',
    ' ',
    '"',
    '""',
    '" ',
    '\u200b',
    '\ufeff',
    '\u00a0',
    '\u00ad',
    '\u3164',
    '\u202e',
    '\u2028',
    '\0',
    ' "\u200f',
  ]
  for (const separator of [';', '\t', '\n', '\r', '\r\n', ';\t', '\n\n', ';"', '";"', '\u2028'])
    for (const between of hidden)
      for (const sign of ['=', '+', '-', '@', '＝'])
        for (const before of ['', 'note', 'say "yes"', `it's`]) {
          const note = `${before}${separator}${between}${sign}cmd|' /C calc'!A0`
          for (const record of [[note], ['id', note, 5], [note, note], [`${before}${separator}`, `${between}${sign}1`]])
            assert.deepEqual(formulasIn(csvLine(record) + csvLine(record)), [], JSON.stringify(record))
        }
})

test('no record of arbitrary text has a cell that runs, and commas give back every value', () => {
  const alphabet = [...Array.from(';;\t\r\n"",|= +@ab'), '\u200b', '\u00a0', '\u2028', '\ufeff', '-']
  let state = 1
  const any = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
  const text = (): string => Array.from({ length: any(9) }, () => alphabet[any(alphabet.length)]).join('')
  for (let n = 0; n < 20_000; n += 1) {
    const records = [0, 1].map(() => [text(), text(), text()])
    const file = records.map(csvLine).join('')
    assert.deepEqual(formulasIn(file), [], JSON.stringify(records))
    assert.deepEqual(
      records.map((record) => cellsOf(csvLine(record).slice(0, -2), ',').map((cell) => cell.replaceAll("'", ''))),
      records,
    )
  }
})

test('harmless text stays as it is', () => {
  for (const text of [
    'Bleu ; taille 42',
    'demain\nmatin',
    'a=b; c=d',
    '10-12; après 18h',
    'rue 5, -2 étage',
    `l'après-midi`,
  ])
    assert.deepEqual(cellsOf(csvLine([text]).slice(0, -2), ','), [text])
})

test('a long text of separators takes no longer for each character', () => {
  const line = csvLine([`${'\n'.repeat(1_000_000)}=1`])
  assert.equal(line.length, 2_000_000 + `"'=1"\r\n`.length)
})
