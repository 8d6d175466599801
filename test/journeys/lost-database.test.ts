import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cuttable } from '../cuttable.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const MISSING = '/api/v1/otp/messages/00000000-0000-4000-8000-000000000000'

test('without its database the service says 503 and nothing of the inside, and goes on by itself when it is back', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const way = await cuttable(world.databaseUrl)
  t.after(() => way.close())
  const receiver = await world.receiver()
  const node = await world.node({ databaseUrl: way.url, works: true })
  world.setCallback(node.url)
  const post = () => world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: node.url, key })
  const key = await world.freshKey()
  const before = await post()
  assert.equal(before.status, 202)
  await world.settled()

  way.cut()
  for (const answer of [await post(), await world.request('GET', MISSING, { url: node.url, key })]) {
    assert.deepEqual([answer.status, answer.body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.equal(answer.headers.get('retry-after'), null)
    assert.ok(!/postgres|ECONN|socket|sql/i.test(answer.text), answer.text)
  }
  assert.equal((await fetch(`${node.url}/readyz`)).status, 503)
  assert.equal((await fetch(`${node.url}/healthz`)).status, 200)

  way.mend()
  await until('readiness', async () => (await fetch(`${node.url}/readyz`)).ok)
  const after = await until('acceptance', async () => {
    const answer = await post()
    return answer.status === 202 && answer
  })
  const otp = { messageId: String(after.body.messageId) }
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal(receiver.events('message.sent').length, 1)
})
