import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionIn } from './sections.ts'

const live = { sandbox: false }

test('switching workspaces keeps the section, without ids of the first workspace', () => {
  assert.equal(sectionIn('/w/1/keys', live), '/w/$workspaceId/keys')
  assert.equal(sectionIn('/w/1/messages/42', live), '/w/$workspaceId/messages')
  assert.equal(sectionIn('/w/1/phone', { sandbox: true }), '/w/$workspaceId/phone')
})

test('switching from an unknown section leads to the overview', () => {
  assert.equal(sectionIn('/w/1/phone', live), '/w/$workspaceId/overview')
  for (const path of ['/w/1', '/w/1/nothing', '/']) assert.equal(sectionIn(path, live), '/w/$workspaceId/overview')
})
