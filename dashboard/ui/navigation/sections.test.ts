import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionIn, sectionsOf } from './sections.ts'

const live = { sandbox: false, role: 'owner' }

test('switching workspaces keeps the section, without ids of the first workspace', () => {
  assert.equal(sectionIn('/w/1/keys', live), '/w/$workspaceId/keys')
  assert.equal(sectionIn('/w/1/messages/42', live), '/w/$workspaceId/messages')
  assert.equal(sectionIn('/w/1/phone', { sandbox: true, role: 'owner' }), '/w/$workspaceId/phone')
})

test('switching from an unknown section leads to the overview', () => {
  assert.equal(sectionIn('/w/1/phone', live), '/w/$workspaceId/overview')
  for (const path of ['/w/1', '/w/1/nothing', '/']) assert.equal(sectionIn(path, live), '/w/$workspaceId/overview')
})

test('a member’s menu has no page that refuses members', () => {
  const namesFor = (role: string): string[] => sectionsOf({ sandbox: true, role }).map(({ name }) => name)
  assert.ok(namesFor('admin').includes('audit'))
  assert.ok(!namesFor('member').includes('audit'))
})
