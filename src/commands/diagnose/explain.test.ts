import { QUIET_CONTEXT } from '../../../test/world/command-line.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../lib/ids.ts'
import { startWorld } from '../../../test/world/world.ts'
import { explainCommand } from './explain.ts'

test('explain ends with who must act, what to do and the page of the failure', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }])
  const { work } = explainCommand
  assert.ok(work.on === 'parts')
  const { text } = await work.run(world.parts, { id: otp.messageId }, QUIET_CONTEXT)
  assert.deepEqual(text.split('\n').slice(-2), [
    'Your backend: Check the number with the recipient, or use another channel.',
    `About RECIPIENT_UNREACHABLE: ${world.parts.config.publicUrl}/problems/RECIPIENT_UNREACHABLE`,
  ])
  assert.match(text, /quota +1 of 10,000 in \d{4}-\d\d\n/)
})

test('an id that is nowhere may be of an emptied sandbox or a deleted workspace', async (t) => {
  const world = await startWorld(t)
  const { work } = explainCommand
  assert.ok(work.on === 'parts')
  const expected =
    /sandbox may have been emptied, its workspace may have been deleted, or it may belong to another instance/
  await assert.rejects(async () => work.run(world.parts, { id: newId() }, QUIET_CONTEXT), { message: expected })
})
