import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../lib/clock.ts'
import { workspaceTime } from './clock-moves.ts'

const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 24) + hour * HOUR_MS)
const back = (hour: number): Date => new Date(at(hour).getTime() - 30 * DAY_MS)

test('a clock that a demo month moved back shows each time of the month once, and the present at the end', () => {
  const time = workspaceTime([
    { moved_at: at(1), by_ms: -30 * DAY_MS },
    { moved_at: at(2), by_ms: 10 * DAY_MS },
    { moved_at: at(3), by_ms: 20 * DAY_MS },
  ])
  assert.deepEqual([at(0), at(1), at(2), at(3), at(4)].map(time.at), [
    at(0),
    back(1),
    new Date(back(2).getTime() + 10 * DAY_MS),
    at(3),
    at(4),
  ])
  assert.deepEqual(time.realOf(back(1.5)), at(1.5), 'within the first span of the month')
  assert.deepEqual(time.realOf(back(5)), at(2), 'skipped by the first move forward')
  assert.deepEqual(time.realOf(at(3.5)), at(3.5))
  assert.deepEqual(time.realOf(back(0)), back(0), 'before the month')
})
