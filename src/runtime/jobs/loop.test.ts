import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { waitFor } from '../../../test/world/wait-for.ts'
import { startLoop } from './loop.ts'

test('work that keeps failing is not logged each time, and another error is logged immediately', async (t) => {
  const lines: { err: { message: string } }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const errors = ['no table', 'no table', 'no table', 'no right', 'no table']
  let turns = 0
  const turn = async (): Promise<never> => {
    const message = errors[Math.min(turns, errors.length - 1)]
    turns += 1
    throw new Error(message)
  }
  const running = startLoop({ name: 'test', pollMs: 1, turn }, log)
  t.after(() => running.stop())
  await waitFor('all turns to fail', () => {
    running.wake() // instead of the pause after a failed turn
    return turns > errors.length
  })
  assert.deepEqual(
    lines.map(({ err }) => err.message),
    ['no table', 'no right', 'no table'],
  )
})
