import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { pino } from 'pino'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { redactError } from '../../../src/lib/http/redact-error.ts'
import { MAX_OUTAGE_LINES, OUTAGE_WINDOW_MS, createLog } from '../../../src/lib/log.ts'

test('members named "code" are redacted, the code of an error is not', () => {
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  log.warn({ code: '493817', err: Object.assign(new Error('gone'), { code: '40P01' }) }, 'a fault')
  assert.ok(!lines[0]?.includes('493817'))
  assert.ok(lines[0]?.includes('40P01'))
})

test('an internal error is logged with the SQLSTATE of its causes', () => {
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  const full = Object.assign(new Error('no space left on device'), { code: '53100' })
  log.error({ fault: redactError(full) }, 'a fault')
  log.error({ fault: redactError(new Error('not stored', { cause: full })) }, 'a fault')
  for (const line of lines) assert.match(line, /"errorCode":"53100"/)
  assert.equal(lines.length, 2)
})

test('a database outage logs 20 lines in 10 s and counts the rest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  const gone = new DatabaseUnavailable(new Error('connect ECONNREFUSED'))
  for (let turn = 0; turn < 100; turn += 1) {
    log.error({ err: gone, loop: 'submit' }, 'a turn failed')
    log.error({ outage: true, fault: redactError(gone) }, 'a request failed')
  }
  assert.equal(lines.length, MAX_OUTAGE_LINES)
  log.error({ err: new Error('a fault of ours') }, 'something else')
  assert.equal(lines.length, MAX_OUTAGE_LINES + 1)
  t.mock.timers.tick(OUTAGE_WINDOW_MS)
  assert.match(lines.at(-1) ?? '', new RegExp(`"leftOut":${200 - MAX_OUTAGE_LINES}`))
})

const FULL_DISK = '/dev/full'

test('a process whose log is on a full disk continues to work, and ends normally', {
  skip: !existsSync(FULL_DISK),
}, async () => {
  const script = `
    const { createLog } = await import('./src/lib/log.ts')
    const log = createLog('info')
    for (const line of ['first', 'second']) {
      log.info(line)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    console.error('still works')
    log.info('third')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', openSync(FULL_DISK, 'w'), 'pipe'],
  })
  let written = ''
  child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const [exitCode] = await once(child, 'close')
  assert.deepEqual({ written, exitCode }, { written: 'still works\n', exitCode: 0 })
})
