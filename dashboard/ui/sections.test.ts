import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionIn } from './sections.ts'

const live = { sandbox: false }

test('the other workspace opens in the section where one is, without what belongs to the first', () => {
  assert.equal(sectionIn('/w/1/keys', live), '/w/$workspaceId/keys')
  assert.equal(sectionIn('/w/1/messages/42', live), '/w/$workspaceId/messages')
  assert.equal(sectionIn('/w/1/phone', { sandbox: true }), '/w/$workspaceId/phone')
})

test('a section that the other workspace has not, or that is none, leads to its overview', () => {
  assert.equal(sectionIn('/w/1/phone', live), '/w/$workspaceId/overview')
  for (const path of ['/w/1', '/w/1/nothing', '/']) assert.equal(sectionIn(path, live), '/w/$workspaceId/overview')
})
