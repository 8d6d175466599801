import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FORMATTED_CHARACTERS, type Piece, parseFormatting } from './formatting.ts'

const shown = (text: string): string => parseFormatting(text).map(html).join('')

function html(piece: Piece): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'mono':
    case 'link':
      return `<${piece.kind}>${piece.text}</${piece.kind}>`
    case 'bold':
    case 'italic':
    case 'strike':
      return `<${piece.kind}>${piece.pieces.map(html).join('')}</${piece.kind}>`
  }
}

test('marks around words format them, also nested', () => {
  assert.equal(shown('*493817* is it'), '<bold>493817</bold> is it')
  assert.equal(shown('_a_ ~b~ ```c d``` `e`'), '<italic>a</italic> <strike>b</strike> <mono>c d</mono> <mono>e</mono>')
  assert.equal(shown('*a _b_ c*'), '<bold>a <italic>b</italic> c</bold>')
  assert.equal(shown('رمزك *١٢٣*، شكرًا'), 'رمزك <bold>١٢٣</bold>، شكرًا')
})

test('unpaired marks, and marks inside words or over lines, stay', () => {
  for (const text of ['snake_case_name', '2*3*4', '* a *', '*a', 'a*', '*a\nb*', '**', '~ ~', '`']) {
    assert.equal(shown(text), text)
  }
})

test('nothing inside monospaced text is formatted', () => {
  assert.equal(shown('```*a* https://x.example```'), '<mono>*a* https://x.example</mono>')
})

test('a link ends before the sentence does', () => {
  assert.equal(shown('See https://shop.example/o/1. Thanks'), 'See <link>https://shop.example/o/1</link>. Thanks')
})

test('a text of only marks is read in linear time', () => {
  const started = performance.now()
  for (const unit of ['*', '*a ', '_*~`', '*a* ', ' *a']) {
    const text = unit.repeat(MAX_FORMATTED_CHARACTERS / unit.length)
    assert.equal(shown(text).replaceAll(/<[^>]+>/g, '').length <= text.length, true)
  }
  assert.ok(performance.now() - started < 1_000)
})
