import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sdk from 'facebook-nodejs-business-sdk'
import { DEMO } from '../../src/index.ts'
import { CUSTOMER, order, otp, startWorld } from '../world.ts'

const { FacebookAdsApi, WhatsAppBusinessAccount } = sdk

async function start(t: TestContext) {
  const world = await startWorld(t)
  // The SDK has no setting for its host: it reads this property of the class for each call.
  Object.defineProperty(FacebookAdsApi, 'GRAPH', { get: () => world.emulator.url, configurable: true })
  const apiOf = (accessToken: string) => new FacebookAdsApi(accessToken, 'en_US', false)
  const api = apiOf(DEMO.accessToken)
  return { ...world, apiOf, api, account: new WhatsAppBusinessAccount(DEMO.accountId, {}, undefined, api) }
}

test('Meta’s SDK pages through all templates forwards and back', async (t) => {
  const { account } = await start(t)
  const cursor = await account.getMessageTemplates(['name', 'language'], { limit: 4 })
  const first = cursor.map(({ id }) => id)
  const seen = new Set(first)
  for (let page = 1; cursor.hasNext() && page < 10; page++) for (const { id } of await cursor.next()) seen.add(id)
  assert.equal(seen.size, 9)
  await cursor.previous()
  await cursor.previous()
  assert.deepEqual(
    cursor.map(({ id }) => id),
    first,
  )
})

test('Meta’s SDK narrows templates by lists', async (t) => {
  const { account } = await start(t)
  const count = async (filter: object) => (await account.getMessageTemplates(['name'], { ...filter })).length
  assert.equal(await count({ status: ['APPROVED'] }), 7)
  assert.equal(await count({ status: ['PAUSED', 'PENDING'], category: ['UTILITY'] }), 2)
  assert.equal(await count({ language: ['ar', 'fr'] }), 3)
  assert.equal(await count({ content: 'paid on delivery' }), 1)
  assert.equal(await count({ quality_score: ['YELLOW', 'RED'] }), 1)
})

test('Meta’s SDK expands the account’s numbers and templates in one call', async (t) => {
  const { account } = await start(t)
  const fields = ['name', 'phone_numbers{id}', 'message_templates.limit(1){name}', 'owner_business_info{id}']
  const { _data: read } = await account.get(fields)
  const numbers = read['phone_numbers'] as { data: object[] }
  assert.deepEqual(numbers.data, [{ id: DEMO.standardNumberId }, { id: DEMO.highNumberId }])
  const templates = read['message_templates'] as { data: object[]; paging: { next: string } }
  assert.deepEqual(Object.keys(templates.data[0] ?? {}), ['name', 'id'])
  assert.deepEqual(Object.keys(read['owner_business_info'] as object), ['id'])
  const next = (await (await fetch(templates.paging.next)).json()) as { data: { name: string }[] }
  assert.equal(next.data.length, 1)
})

test('Meta’s SDK creates a template, and deletes it', async (t) => {
  const { account, emulator } = await start(t)
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const { id } = await account.createMessageTemplate([], {
    name: 'parcel_here',
    language: 'en',
    category: 'UTILITY',
    components,
  })
  const held = () => emulator.getAccount(DEMO.accountId).templates.get('parcel_here\0en')
  assert.equal(held()?.id, id)
  assert.deepEqual(await account.deleteMessageTemplates({ name: 'parcel_here', hsm_id: id }), { success: true })
  assert.equal(held(), undefined)
})

test('Meta’s SDK reads numbers and subscriptions, and ends a subscription', async (t) => {
  const { account } = await start(t)
  const numbers = await account.getPhoneNumbers(['id', 'throughput{level}'], { limit: 1 })
  assert.deepEqual(numbers[0]?._data, { id: DEMO.standardNumberId, throughput: { level: 'STANDARD' } })
  assert.equal((await numbers.next())[0]?.id, DEMO.highNumberId)
  assert.equal((await account.getSubscribedApps([])).length, 1)
  await account.deleteSubscribedApps()
  assert.equal((await account.getSubscribedApps([])).length, 0)
  await account.createSubscribedApp([])
  assert.equal((await account.getSubscribedApps([])).length, 1)
})

test('Meta’s SDK sends codes and orders through its generic call', async (t) => {
  const { api, emulator } = await start(t)
  const path = [DEMO.standardNumberId, 'messages']
  await api.call('POST', path, { messaging_product: 'whatsapp', to: CUSTOMER, ...otp() })
  await api.call('POST', path, { messaging_product: 'whatsapp', to: CUSTOMER, ...order() })
  assert.deepEqual(
    emulator.messages().map(({ template }) => template?.name),
    ['login_code', 'order_confirmation'],
  )
})

test('Meta’s SDK takes each rejection for an error of Graph', async (t) => {
  const { account, apiOf } = await start(t)
  const garbage = new WhatsAppBusinessAccount(DEMO.accountId, {}, undefined, apiOf('garbage'))
  await assert.rejects(garbage.get(['id']), {
    name: 'FacebookRequestError',
    status: 401,
    message: 'Invalid OAuth access token - Cannot parse access token',
  })
  await assert.rejects(account.get(['shoe_size']), { name: 'FacebookRequestError', status: 400, message: /^\(#100\)/ })
  await assert.rejects(account.getFlows([]), { name: 'FacebookRequestError', message: /^\(#2500\)/ })
})
