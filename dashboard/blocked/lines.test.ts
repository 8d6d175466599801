import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BATCH_LINES, batchesOf, linesOf, onlyLines } from './lines.ts'

test('each line keeps its number in the file, despite empty lines and a heading', () => {
  const text =
    '\uFEFFphone,reason\r\n+212612345678,abusive\r\n\r\n  +212 612-345 679 ;"said ""never, ever"""\n+212612345670\t'
  assert.deepEqual(linesOf(text), [
    { line: 2, phone: '+212612345678', reason: 'abusive' },
    { line: 4, phone: '+212 612-345 679', reason: 'said "never, ever"' },
    { line: 5, phone: '+212612345670', reason: '' },
  ])
})

test('a first line with digits of any script is not a heading', () => {
  assert.equal(linesOf('+212612345678')[0]?.line, 1)
  assert.equal(linesOf('٠٦١٢٣٤٥٦٧٨')[0]?.line, 1)
  assert.deepEqual(linesOf('الرقم\n'), [])
})

test('an exported list can be imported', () => {
  const text =
    '\uFEFFPhone number,Reason,Blocked at,Blocked by\r\n\'+212612345678,"late, twice",2026-11-23,sara@shop.example\r\n'
  assert.deepEqual(linesOf(text), [{ line: 2, phone: '+212612345678', reason: 'late, twice' }])
})

test('an unclosed quote loses nothing', () => {
  assert.deepEqual(linesOf('+212612345678,"late'), [{ line: 1, phone: '+212612345678', reason: '"late' }])
})

test('batches hold every line once, in order', () => {
  const lines = linesOf(Array.from({ length: BATCH_LINES * 2 + 1 }, (_, n) => `+2126${n}`).join('\n'))
  const batches = batchesOf(lines)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [BATCH_LINES, BATCH_LINES, 1],
  )
  assert.deepEqual(batches.flat(), lines)
  assert.deepEqual(batchesOf([]), [])
})

test('faulty lines stay as they were written', () => {
  assert.equal(onlyLines('a\r\n b ;x\nc', new Set([2, 3])), ' b ;x\nc')
})
