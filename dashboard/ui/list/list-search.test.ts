import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOtherPages, positionOf } from './list-search.ts'

const ID = '019f0000-0000-7000-8000-000000000000'
const page = (rows: number, nextCursor: string | null = null) => ({ rows: Array.from({ length: rows }), nextCursor })

test('a list of one page needs no count', () => {
  assert.equal(hasOtherPages(page(3), {}), false)
  assert.deepEqual(positionOf(page(3), {}, undefined), { from: 1, to: 3, total: 3, isMore: false })
  assert.equal(positionOf(page(0), {}, undefined), undefined)
})

test('a later page begins after the newer rows', () => {
  const counted = { newer: 50, total: 1_204, isMore: false }
  assert.equal(hasOtherPages(page(4), { before: ID }), true)
  assert.deepEqual(positionOf(page(50, ID), { before: ID }, counted), {
    from: 51,
    to: 100,
    total: 1_204,
    isMore: false,
  })
})

test('a page beyond the counted rows shows no position', () => {
  const counted = { newer: null, total: 10_000, isMore: true }
  assert.equal(positionOf(page(50, ID), { before: ID }, counted), undefined)
  assert.equal(positionOf(page(50, ID), {}, undefined), undefined)
})

test('a total is never below the rows that the page shows', () => {
  const counted = { newer: 0, total: 49, isMore: false }
  assert.deepEqual(positionOf(page(50, ID), {}, counted), { from: 1, to: 50, total: 50, isMore: false })
})
