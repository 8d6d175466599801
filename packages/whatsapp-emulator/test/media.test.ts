import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Emulator, DEMO, demoAccount } from '../src/index.ts'
import { Media } from '../src/accounts/media.ts'
import { EMULATOR_LIMITS } from '../src/limits.ts'
import { codeOf, startWorld } from './world.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const LARGE = Buffer.alloc(16 * 1_048_576)
const headers = { authorization: `Bearer ${DEMO.accessToken}` }
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

test('an uploaded file downloads unchanged, up to 16 MB', async (t) => {
  const world = await startWorld(t)
  for (const bytes of [PNG, LARGE]) {
    const { id } = await upload(world.emulator, bytes)
    const meta = await world.call('GET', `/v25.0/${id}`)
    assert.deepEqual(meta.body, {
      messaging_product: 'whatsapp',
      url: meta.at('url'),
      mime_type: 'image/png',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      file_size: bytes.length,
      id,
    })
    const file = await fetch(String(meta.at('url')), { headers })
    assert.equal(file.headers.get('content-type'), 'image/png')
    assert.ok(bytes.equals(Buffer.from(await file.arrayBuffer())))
  }
})

test('a link to a file needs the token and expires after five minutes', async (t) => {
  const world = await startWorld(t)
  const { id } = await upload(world.emulator)
  const url = String((await world.call('GET', `/v25.0/${id}`)).at('url'))
  assert.equal((await fetch(url)).status, 400)
  world.pass(4 * MINUTE_MS)
  assert.equal((await fetch(url, { headers })).status, 200)
  world.pass(MINUTE_MS)
  assert.equal((await fetch(url, { headers })).status, 404)
})

test('links to files and pages lead through the proxy that ends TLS', async (t) => {
  const { emulator } = await startWorld(t)
  const { id } = await upload(emulator)
  const get = async (path: string): Promise<unknown> => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'graph.example' }
    return (await fetch(`${emulator.url}/v25.0/${path}`, { headers: { ...headers, ...forwarded } })).json()
  }
  const file = (await get(id)) as { url: string }
  const templates = (await get(`${DEMO.accountId}/message_templates?limit=1`)) as { paging: { next: string } }
  for (const link of [file.url, templates.paging.next]) assert.equal(new URL(link).origin, 'https://graph.example')
})

test('a file is removed by deletion, after 30 days and by a reset', async (t) => {
  const world = await startWorld(t)
  const [deleted, old, reset] = [
    await upload(world.emulator),
    await upload(world.emulator),
    await upload(world.emulator),
  ]
  assert.deepEqual((await world.call('DELETE', `/v25.0/${deleted.id}`)).body, { success: true })
  assert.equal(codeOf(await world.call('GET', `/v25.0/${deleted.id}`)), 100)
  world.pass(30 * DAY_MS)
  assert.equal(codeOf(await world.call('GET', `/v25.0/${old.id}`)), 0)
  world.pass(1)
  assert.equal(codeOf(await world.call('GET', `/v25.0/${old.id}`)), 100)
  world.pass(-DAY_MS)
  world.emulator.reset()
  assert.equal(codeOf(await world.call('GET', `/v25.0/${reset.id}`)), 100)
})

test('a file of another account or number cannot be read', async (t) => {
  const world = await startWorld(t)
  world.emulator.addAccount({
    ...demoAccount(),
    id: '99887766554433',
    accessToken: 'EAAother',
    numbers: [],
    templates: [],
  })
  const { id } = await upload(world.emulator)
  assert.equal(codeOf(await world.call('GET', `/v25.0/${id}`, undefined, 'EAAother')), 200)
  assert.equal(codeOf(await world.call('DELETE', `/v25.0/${id}`, undefined, 'EAAother')), 200)
  assert.equal(codeOf(await world.call('GET', `/v25.0/${id}?phone_number_id=${DEMO.highNumberId}`)), 100)
  assert.equal(codeOf(await world.call('GET', `/v25.0/${id}?phone_number_id=${DEMO.standardNumberId}`)), 0)
})

test('an upload without a file, of another type or too large is rejected', async (t) => {
  const { emulator } = await startWorld(t)
  const large = Buffer.alloc(EMULATOR_LIMITS.mediaRequestBytes)
  const rejections = [
    [formOf({ messaging_product: 'whatsapp', type: 'image/png' }), /Invalid parameter/],
    [formOf({ file: blobOf(PNG) }), /Invalid parameter/],
    [formOf({ messaging_product: 'whatsapp', file: blobOf(PNG, 'text/html') }), /Received file of type 'text\/html'/],
    [
      formOf({ messaging_product: 'whatsapp', type: 'image/png', file: blobOf(PNG, '') }),
      /'application\/octet-stream'/,
    ],
    [formOf({ messaging_product: 'whatsapp', file: blobOf(large) }), /Invalid parameter/],
  ] as const
  for (const [body, message] of rejections) {
    const { error } = (await post(emulator, body)) as { error: { code: number; message: string } }
    assert.equal(error.code, 100)
    assert.match(error.message, message)
  }
})

test('the oldest files make room for new ones', async (t) => {
  const account = (await startWorld(t)).emulator.getAccount(DEMO.accountId)
  const number = account.numbers.get(DEMO.standardNumberId)
  assert.ok(number)
  const media = new Media()
  const ids = Array.from({ length: 5 }, () => media.add({ account, number }, 'image/png', LARGE, 0).id)
  assert.deepEqual(
    ids.map((id) => media.find(id, 0) !== undefined),
    [false, true, true, true, true],
  )
})

async function upload(emulator: Emulator, bytes = PNG): Promise<{ id: string }> {
  const answer = await post(emulator, formOf({ messaging_product: 'whatsapp', type: 'image/png', file: blobOf(bytes) }))
  return answer as { id: string }
}

async function post({ url }: Emulator, body: FormData): Promise<unknown> {
  return (await fetch(`${url}/v25.0/${DEMO.standardNumberId}/media`, { method: 'POST', headers, body })).json()
}

function formOf(members: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, value, 'parcel.png')
  }
  return form
}

function blobOf(bytes: Buffer<ArrayBuffer>, type = 'image/png'): Blob {
  return new Blob([bytes], { type })
}
