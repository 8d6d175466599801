import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checksAgainst } from './responses.ts'

const LATER_VALUE = { $ref: '#/components/schemas/LaterValue' }
const colour = { anyOf: [{ enum: ['red'] }, LATER_VALUE] }
const open = { type: 'object', properties: { id: { type: 'string' }, colour }, required: ['id'] }
const headers = new Headers({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-correlation-id': '5b0f3c9e-52a6-4b07-8f4e-1a7d0c7b9f10',
})

test('an undocumented member or value fails although the document allows additional ones', () => {
  const content = { 'application/json': { schema: { type: 'object', properties: { thing: open } } } }
  const { answer, webhook } = checksAgainst({
    paths: { '/things': { get: { responses: { 200: { content } } } } },
    components: { schemas: { LaterValue: { type: 'string' } } },
    webhooks: { 'thing.made': { post: { requestBody: { content: { 'application/json': { schema: open } } } } } },
  })
  const answered = (thing: object) =>
    answer('GET', '/things', { status: 200, headers, text: JSON.stringify({ thing }) })
  answered({ id: '1', colour: 'red' })
  assert.throws(() => answered({ id: '1', colour: 'blue' }), /boolean schema is false/)
  assert.throws(() => answered({ id: '1', more: true }), /must NOT have additional properties/)
  assert.throws(() => webhook({ type: 'thing.made' }), /must have required property 'id'/)
  assert.throws(() => webhook({ type: 'thing.lost' }), /not documented/)
})
