import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { faultOfOurs } from './http/fault-of-ours.ts'
import { createLog } from './log.ts'

test('what is named like a one-time code is blanked, and the code of an error is not', () => {
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  log.warn({ code: '493817', err: Object.assign(new Error('gone'), { code: '40P01' }) }, 'a fault')
  assert.ok(!lines[0]?.includes('493817'))
  assert.ok(lines[0]?.includes('40P01'))
})

test('a fault of ours is logged with the code that the database gave, and so are its causes', () => {
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  const full = Object.assign(new Error('no space left on device'), { code: '53100' })
  log.error({ fault: faultOfOurs(full) }, 'a fault')
  log.error({ fault: faultOfOurs(new Error('not stored', { cause: full })) }, 'a fault')
  for (const line of lines) assert.match(line, /"errorCode":"53100"/)
  assert.equal(lines.length, 2)
})
