import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Received } from '../../world/receiver.ts'
import { startWorld } from '../../world/world.ts'

type Facts = { secret: string; webhook: Received; key?: Buffer; content?: Buffer; signature?: string }

const headerOf = ({ webhook }: Facts, name: string): string => String(webhook.headers[name])

/** Each step as the API document words it, and exactly what it says. */
const STEPS: readonly [text: string, follow: (facts: Facts) => void][] = [
  [
    '1. The key: remove `whsec_` from the secret of the endpoint, and decode the rest from Base64.',
    (facts) => (facts.key = Buffer.from(facts.secret.replace('whsec_', ''), 'base64')),
  ],
  [
    '2. The content: join the value of `webhook-id`, a full stop, the value of `webhook-timestamp`, a full stop, and the bytes of the body exactly as they arrived.',
    (facts) => {
      const start = `${headerOf(facts, 'webhook-id')}.${headerOf(facts, 'webhook-timestamp')}.`
      facts.content = Buffer.concat([Buffer.from(start), Buffer.from(facts.webhook.body)])
    },
  ],
  [
    '3. The signature: compute HMAC-SHA256 of the content with the key, encode the result in Base64, and put `v1,` before it.',
    (facts) => {
      assert.ok(facts.key && facts.content)
      facts.signature = `v1,${createHmac('sha256', facts.key).update(facts.content).digest('base64')}`
    },
  ],
  [
    '4. The webhook is genuine if the signature equals one of those in `webhook-signature`, which has two, with a space between, for 24 hours after the secret was rotated. Compare in constant time.',
    (facts) =>
      assert.ok(
        headerOf(facts, 'webhook-signature')
          .split(' ')
          .includes(facts.signature ?? ''),
      ),
  ],
  [
    '5. Reject a webhook whose `webhook-timestamp` is more than five minutes before or after the present time.',
    (facts) => assert.ok(Math.abs(Date.now() / 1000 - Number(headerOf(facts, 'webhook-timestamp'))) < 300),
  ],
]

test('the steps of the API document, followed literally, verify a real webhook', async (t) => {
  const world = await startWorld(t)
  const document = (await (await fetch(`${world.first.url}/openapi.json`)).json()) as {
    tags: { name: string; description: string }[]
  }
  const { description = '' } = document.tags.find(({ name }) => name === 'Webhooks') ?? {}
  assert.deepEqual(
    description.match(/^\d+\. .*$/gm),
    STEPS.map(([text]) => text),
  )
  const { secret, received } = await world.receiver()
  const otp = await world.sendOtp({ reference: 'à 18h — مساءً' })
  await world.whatsapp.reports(otp, ['sent'])
  const [webhook] = received
  assert.ok(webhook)
  const facts: Facts = { secret, webhook }
  for (const [, follow] of STEPS) follow(facts)
})
