import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHook, sendThroughHook } from '../../world/hooks.ts'
import { erase, exported } from '../../world/recipients.ts'
import { assertVerified } from '../../world/verified.ts'
import { startWorld } from '../../world/world.ts'

test('an export contains the message of a code that a hook sent, and neither the code nor a secret', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const sent = await sendThroughHook(world, hook)
  await world.whatsapp.reports(sent, ['delivered'])
  const file = await exported(world, sent.to)
  const { oneTimeCodes } = file as { oneTimeCodes: Record<string, unknown>[] }
  assert.deepEqual(
    oneTimeCodes.map(({ id, to, status, templateName }) => [id, to, status, templateName]),
    [[sent.messageId, sent.to, 'delivered', 'login_code']],
  )
  const text = JSON.stringify(file)
  for (const secret of [sent.code, hook.secret ?? '']) assert.ok(!text.includes(secret))
})

test('an erasure ends a waiting code of a hook, forgets its repeat, and the next code is a new message', async (t) => {
  const world = await startWorld(t, { works: false })
  const receiver = await world.receiver()
  const hook = await createHook(world, 'supabase')
  const sent = await sendThroughHook(world, hook)
  const { pseudonym } = await erase(world, sent)
  await world.node({ works: true })
  await world.settled()
  const erased = await world.getOtp(sent)
  assert.deepEqual([erased.to, erased.status], [pseudonym, 'failed'])
  const [event] = receiver.events().filter(({ type }) => type === 'message.failed')
  assert.deepEqual([event?.data.messageId, event?.data.to], [sent.messageId, pseudonym])

  const again = await sendThroughHook(world, hook, { phone: sent.to, code: sent.code })
  assert.notEqual(again.messageId, sent.messageId)
  assert.equal((await sendThroughHook(world, hook, { phone: sent.to, code: sent.code })).messageId, again.messageId)
  assert.equal(await world.codeOn(again), sent.code)
  await assertVerified(world)
})
