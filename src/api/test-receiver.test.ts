import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../test/world/dashboard.ts'
import { startSandbox } from '../../test/world/sandbox.ts'
import { type World, startWorld } from '../../test/world/world.ts'
import { MINUTE_MS } from '../lib/clock.ts'
import { newWebhookSecret } from '../lib/ids.ts'
import { sign } from '../webhooks/delivery/sign.ts'
import { testReceiverUrl } from '../webhooks/test-receiver.ts'

const body = '{"type":"ping","data":{"note":"à 18h — مساءً"}}'
const id = '019ad8d5-11a0-7c44-8e0b-7a2d9c1f6e35'

/** The receiver as its node serves it, which may not be the public URL. */
const urlOf = (world: World): string => `${world.first.url}/test-receiver/${world.workspaceId}`

async function post(url: string, headers: Record<string, string>, text = body): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body: text })
  return { status: response.status, body: await response.json() }
}

const GENUINE = { status: 200, body: { verified: true } }
const FORGED = { status: 401, body: { verified: false } }

test('the test receiver accepts only what the secret of its own endpoint signed within five minutes', async (t) => {
  const [world, other] = [await startSandbox(t), await startWorld(t)]
  const { calls } = await signIn(world, 'admin')
  const { testReceiverUrl: url } = await calls.phone.state.query({ workspaceId: world.workspaceId })
  assert.equal(url, testReceiverUrl(world.parts.config, world.workspaceId))
  const { secret } = await calls.endpoints.add.mutate({ workspaceId: world.workspaceId, url })
  const { secret: ofOther } = await calls.endpoints.add.mutate({
    workspaceId: world.workspaceId,
    url: 'http://127.0.0.1:9/elsewhere',
  })
  const now = new Date()
  assert.deepEqual(await post(urlOf(world), sign({ id, at: now, body }, [secret])), GENUINE)
  for (const [headers, text] of [
    [sign({ id, at: now, body }, [newWebhookSecret()]), body],
    [sign({ id, at: now, body }, [ofOther]), body],
    [sign({ id, at: now, body }, [secret]), `${body} `],
    [sign({ id, at: new Date(now.getTime() - 6 * MINUTE_MS), body }, [secret]), body],
    [{}, body],
  ] as const)
    assert.deepEqual(await post(urlOf(world), headers, text), FORGED)
  const signed = sign({ id, at: now, body }, [secret])
  for (const workspaceId of [other.workspaceId, '00000000-0000-4000-8000-000000000000', 'none'])
    assert.deepEqual(await post(`${world.first.url}/test-receiver/${workspaceId}`, signed), FORGED, workspaceId)
})

test('after a rotation both secrets are accepted, and after a deletion none', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const url = testReceiverUrl(world.parts.config, workspaceId)
  const { endpointId, secret: previous } = await calls.endpoints.add.mutate({ workspaceId, url })
  const { secret } = await calls.endpoints.rotate.mutate({ workspaceId, endpointId })
  const by = (one: string) => sign({ id, at: new Date(), body }, [one])
  for (const each of [previous, secret]) assert.deepEqual(await post(urlOf(world), by(each)), GENUINE)
  await calls.endpoints.remove.mutate({ workspaceId, endpointId, host: new URL(url).host })
  assert.deepEqual(await post(urlOf(world), by(secret)), FORGED)
})

test('an address that sends forged webhooks is soon answered without a look-up', async (t) => {
  const world = await startSandbox(t)
  const statuses = new Set<number>()
  for (let tries = 0; tries < 30; tries += 1) statuses.add((await fetch(urlOf(world), { method: 'POST', body })).status)
  assert.deepEqual([...statuses], [401, 429])
})
