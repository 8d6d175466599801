import { QUIET_CONTEXT } from '../../test/world/command-line.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../lib/clock.ts'
import type { Parts } from '../runtime/parts.ts'
import { command } from './command.ts'

test('control characters of a stored value are visible in text and exact in JSON', async () => {
  const stored = { endpoints: [{ url: 'https://a.example', reason: 'off\nforged\u001b[2J' }] }
  const list = command({
    words: 'endpoint list',
    example: '',
    summary: 'List.',
    run: async () => stored,
    format: ({ endpoints }) => endpoints.map(({ url, reason }) => `${url}  ${reason}`).join('\n'),
  })
  assert.ok(list.work.on === 'parts')
  const { result, text } = await list.work.run({ clock: systemClock } as Parts, {}, QUIET_CONTEXT)
  assert.equal(text, 'https://a.example  off ⏎ forged\\u001b[2J')
  assert.equal(result, stored)
})
