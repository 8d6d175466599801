import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '../src/index.ts'
import { codeOf, startWorld } from './world.ts'

const ACCOUNT = `/v25.0/${DEMO.accountId}`

test('an account is read with the requested fields of its numbers', async (t) => {
  const world = await startWorld(t)
  const answer = await world.call('GET', `${ACCOUNT}?fields=id,phone_numbers{id}`)
  assert.deepEqual(answer.at('phone_numbers', 'data'), [{ id: DEMO.standardNumberId }, { id: DEMO.highNumberId }])
  const usual = await world.call('GET', `${ACCOUNT}?fields=phone_numbers`)
  assert.equal(usual.at('phone_numbers', 'data', 0, 'display_phone_number'), DEMO.standardNumber)
})

test('the parameters of an expanded list filter and page it', async (t) => {
  const world = await startWorld(t)
  const fields = 'message_templates.limit(1).status(["PAUSED","PENDING"]) { name , quality_score{score} } , name'
  const answer = await world.call('GET', `${ACCOUNT}?fields=${encodeURIComponent(fields)}`)
  assert.equal(answer.at('name'), 'Demo Shop')
  assert.equal(answer.at('message_templates', 'data', 0, 'name'), 'order_shipped')
  assert.deepEqual(Object.keys(answer.at('message_templates', 'data', 0, 'quality_score') as object), ['score'])
  const next = await fetch(String(answer.at('message_templates', 'paging', 'next')))
  const { data } = (await next.json()) as { data: { id: string }[] }
  assert.deepEqual(data, [{ name: 'order_delayed', quality_score: { score: 'RED' }, id: data[0]?.id }])
})

test('invalid fields are a syntax error of Graph', async (t) => {
  const world = await startWorld(t)
  const answer = await world.call('GET', `${ACCOUNT}?fields=id}`)
  assert.deepEqual(
    [answer.status, codeOf(answer), answer.at('error', 'message')],
    [400, 2500, 'Syntax error "Expected end of string instead of "}"." at character 2: id}'],
  )
  for (const fields of ['phone_numbers{id', 'phone_numbers.limit(1{id}', 'id;name', 'phone_numbers{id}{name}']) {
    assert.equal(codeOf(await world.call('GET', `${ACCOUNT}?fields=${fields}`)), 2500, fields)
  }
})

test('an unknown field within an expansion fails the call', async (t) => {
  const world = await startWorld(t)
  for (const fields of ['phone_numbers{shoe_size}', 'flows{id}', 'name{first}', 'a{a{a{a{a{a}}}}}']) {
    assert.equal(codeOf(await world.call('GET', `${ACCOUNT}?fields=${fields}`)), 100, fields)
  }
})
