import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../../locales/resources.ts'
import type { CodedText } from '../../../locales/text.ts'
import { signIn } from '../../world/dashboard.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const statusWith = async (world: World, key: string, url = world.first.url): Promise<number> =>
  (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url, key })).status

test('the first request uses a template of the reader’s language if there is one', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'member')
  const { workspaceId } = world
  const languageFor = async (language: 'en' | 'fr' | 'ar') => {
    const request = await calls.keys.firstRequest.query({ workspaceId, language })
    return request.missing === null ? request.template.language : request.missing
  }
  assert.deepEqual([await languageFor('en'), await languageFor('fr'), await languageFor('ar')], ['en_US', 'fr', 'ar'])
  await world.query(`delete from templates where workspace_id = $1 and language in ('fr', 'ar')`, [workspaceId])
  assert.equal(await languageFor('fr'), 'en_US')
})

test('the missing steps for a first request are shown in order', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'member')
  const { workspaceId } = world
  const ask = async () => (await calls.keys.firstRequest.query({ workspaceId })).missing
  assert.equal(await ask(), null)
  await world.query(`update templates set status = 'PAUSED' where workspace_id = $1`, [workspaceId])
  assert.equal(await ask(), 'template')
  await world.query('update senders set paused_at = now() where workspace_id = $1', [workspaceId])
  assert.equal(await ask(), 'sender')
})

test('after a rotation both keys work until the overlap ends', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { calls, email } = await signIn(world, 'admin')
  const old = await calls.keys.create.mutate({ workspaceId, name: 'checkout' })
  assert.equal(await statusWith(world, old.apiKey), 202)
  const rotated = await calls.keys.rotate.mutate({ workspaceId, publicId: old.publicId, overlap: 'hour' })
  assert.deepEqual([await statusWith(world, old.apiKey), await statusWith(world, rotated.apiKey)], [202, 202])
  const listed = await calls.keys.list.query({ workspaceId })
  assert.deepEqual(
    listed.filter(({ name }) => name === 'checkout').map(({ publicId, state }) => [publicId, state]),
    [
      [rotated.publicId, 'active'],
      [old.publicId, 'expires_soon'],
    ],
  )
  world.advance('61m')
  await waitFor('the old key to stop', async () => (await statusWith(world, old.apiKey)) === 401, 1_500)
  assert.equal(await statusWith(world, rotated.apiKey), 202)
  const [entry] = await world.query<{ who: string; target: string; after: object }>(
    `select who, target, after from audit_log where workspace_id = $1 and action = 'key.rotated'`,
    [workspaceId],
  )
  assert.equal(entry?.who, email)
  assert.equal(entry?.target, old.publicId)
  assert.ok(!JSON.stringify(entry).includes(rotated.apiKey.slice(-43)))
})

test('a rotation without overlap stops the old key everywhere within a second', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const other = await world.node({ works: false })
  const { calls } = await signIn(world, 'admin')
  const old = await calls.keys.create.mutate({ workspaceId, name: 'checkout' })
  assert.equal(await statusWith(world, old.apiKey, other.url), 202)
  await calls.keys.rotate.mutate({ workspaceId, publicId: old.publicId, overlap: 'none' })
  await waitFor('the old key to stop', async () => (await statusWith(world, old.apiKey, other.url)) === 401, 1_000)
})

test('an inactive key cannot be rotated, and another workspace’s key is missing', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const { publicId } = await calls.keys.create.mutate({ workspaceId, name: 'checkout' })
  assert.deepEqual(await calls.keys.revoke.mutate({ workspaceId, publicId }), { revoked: true })
  assert.deepEqual(await calls.keys.revoke.mutate({ workspaceId, publicId }), { revoked: false })
  await assert.rejects(calls.keys.rotate.mutate({ workspaceId, publicId, overlap: 'day' }), (error: Error) => {
    assert.match(error.message, /already revoked/)
    const { text } = (error as unknown as { data: { text: CodedText } }).data
    assert.match(translatorOf('fr').textOf(text), /déjà révoquée/)
    return true
  })
  const theirs = await startWorld(t)
  const foreign = await (await signIn(theirs, 'admin')).calls.keys.create.mutate({
    workspaceId: theirs.workspaceId,
    name: 'theirs',
  })
  const rejected = /There is no such key/
  await assert.rejects(calls.keys.revoke.mutate({ workspaceId, publicId: foreign.publicId }), rejected)
  await assert.rejects(calls.keys.rotate.mutate({ workspaceId, publicId: foreign.publicId, overlap: 'day' }), rejected)
  assert.equal(await statusWith(theirs, foreign.apiKey), 202)
})
