import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createLog } from './log.ts'

test('what is named like a one-time code is blanked, and the code of an error is not', () => {
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  log.warn({ code: '493817', err: Object.assign(new Error('gone'), { code: '40P01' }) }, 'a fault')
  assert.ok(!lines[0]?.includes('493817'))
  assert.ok(lines[0]?.includes('40P01'))
})
