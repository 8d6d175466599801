import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { startDemoReceiver } from './receiver.ts'

const statusFor = (url: string, host: string, method = 'GET'): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { host } }, (answer) => resolve(answer.resume().statusCode))
    call.on('error', reject).end()
  })

test('the demo’s receiver answers only under names of this machine', async (t) => {
  const receiver = await startDemoReceiver({ port: 0, secret: () => undefined, onWebhook: () => {} })
  t.after(() => receiver.close())
  const { host, port } = new URL(receiver.url)
  for (const name of [host, `localhost:${port}`, '127.0.0.1', '[::1]'])
    assert.equal(await statusFor(receiver.url, name), 200, name)
  for (const name of [
    'rebound.example',
    `127.0.0.1.evil.example:${port}`,
    'localhost.evil.example',
    'evil.example@127.0.0.1',
  ])
    for (const method of ['GET', 'POST']) assert.equal(await statusFor(receiver.url, name, method), 403, name)
})
