import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../../locales/resources.ts'
import { linesOf } from './lines.ts'
import type { Cell } from './list.ts'

/** Pages whose cursor is the number of the next one. */
async function fileOf(pages: readonly (readonly (readonly Cell[])[])[], maxRows?: number): Promise<string[]> {
  const pageAt = (n: number) => ({ rows: pages[n] ?? [], next: n + 1 < pages.length ? n + 1 : null })
  const read: number[] = []
  const lines = linesOf({
    columns: ['recipient', 'created'],
    first: pageAt(0),
    readPage: async (cursor) => (read.push(Number(cursor)), pageAt(Number(cursor))),
    timeZone: 'Africa/Casablanca',
    translator: translatorOf('fr'),
    ...(maxRows !== undefined && { maxRows }),
  })
  const text = (await Array.fromAsync(lines)).join('')
  assert.deepEqual(read, [...new Set(read)], 'no page is read twice')
  return text.split('\r\n')
}

test('every row of every page is written once, with times of the delivery zone', async () => {
  const at = new Date('2026-07-01T12:00:00Z')
  assert.deepEqual(
    await fileOf([
      [['a', at]],
      [],
      [
        ['b', null],
        ['c', undefined],
      ],
    ]),
    ['\uFEFFDestinataire,Créé le', 'a,2026-07-01T13:00:00.000+01:00', 'b,', 'c,', ''],
  )
})

test('a file that is cut says so in its last line', async () => {
  const rows = [[['a']], [['b'], ['c']], [['d']]]
  for (const [maxRows, written] of [
    [1, 1],
    [2, 2],
    [3, 3],
  ] as const) {
    const lines = await fileOf(rows, maxRows)
    assert.equal(lines.length, 1 + written + 1 + 1)
    assert.match(lines.at(-2) ?? '', /^"?Le fichier s’arrête ici/)
  }
  assert.equal((await fileOf(rows, 4)).at(-2), 'd')
})
