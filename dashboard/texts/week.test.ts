import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstDayOfWeek } from './week.ts'

test("a week starts on the day that is usual in the reader's region, in each language of the pages", () => {
  assert.equal(firstDayOfWeek('ar', ['ar-MA', 'fr']), 1)
  assert.equal(firstDayOfWeek('ar', ['fr-FR', 'ar-EG']), 6)
  assert.equal(firstDayOfWeek('ar', ['ar']), 6)
  assert.equal(firstDayOfWeek('ar', ['fr-MA']), 1, 'the browser has no Arabic, but a region')
  assert.equal(firstDayOfWeek('en', ['en-US']), 0)
  assert.equal(firstDayOfWeek('en', ['en-GB']), 1)
  assert.equal(firstDayOfWeek('fr', []), 1)
  assert.equal(firstDayOfWeek('en', ['en-US@posix', 'en-US']), 0, 'not a language tag')
})
