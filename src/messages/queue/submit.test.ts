import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../lib/clock.ts'
import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import type { EndedAttempt } from './finish.ts'
import { storeOutcome } from './submit.ts'

const lockTimeout = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })

for (const { error, stored, what } of [
  { error: new DatabaseUnavailable(new Error('connect ECONNREFUSED')), stored: true, what: 'a database that is down' },
  { error: lockTimeout, stored: false, what: 'a locked row' },
])
  test(`an outcome ${stored ? 'outlasts' : 'does not occupy its process for'} two minutes of ${what}`, async () => {
    let nowMs = 0
    let tries = 0
    const finish = async (): Promise<void> => {
      tries += 1
      nowMs += MINUTE_MS
      if (tries <= 2) throw error
    }
    const storing = storeOutcome(finish, {} as EndedAttempt, { nowMs: () => nowMs })
    await (stored ? storing : assert.rejects(storing, lockTimeout))
    assert.equal(tries, stored ? 3 : 1)
  })
