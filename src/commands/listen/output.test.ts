import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOutput } from './output.ts'

const linesOf = (act: (output: ReturnType<typeof textOutput>) => void): string[] => {
  const lines: string[] = []
  const continueCommand = (position: string | undefined): string => `doorcode listen --after ${position}`
  act(textOutput({ print: (line) => void lines.push(line), generatedSecret: null, continueCommand }))
  return lines
}

const event = {
  id: '01a1f9f4-d2c3-7f0e-9a51-6a0c8c9b7d21',
  type: 'cod.confirmed',
  timestamp: '2026-12-01T09:00:00.000Z',
}

test('each event is one line with its time, type, id, answer and duration', () => {
  const result = { httpStatus: 500, error: null, durationMs: 12 }
  assert.deepEqual(
    linesOf((output) => output.forwarded(event, result)).map((line) => line.split(/ {2,}/)),
    [[event.timestamp, 'cod.confirmed', event.id, '500', '12 ms']],
  )
  const late = { httpStatus: null, error: { code: 'webhooks.took_too_long', seconds: 15 } as const, durationMs: 15_000 }
  assert.match(
    linesOf((output) => output.forwarded(event, late))[0] ?? '',
    /No response arrived within 15 s\. {2}15000 ms$/,
  )
})

test('an instance cannot inject lines or control sequences into the terminal', () => {
  const hostile = { ...event, type: 'cod.confirmed\n\u001b[2Jforged' }
  const [line = '', ...more] = linesOf((output) =>
    output.forwarded(hostile, { httpStatus: 204, error: null, durationMs: 1 }),
  )
  assert.deepEqual(more, [])
  assert.ok(line.includes('\\u001b[2Jforged'), line)
})
