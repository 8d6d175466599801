import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionIn, sectionsOf } from './sections.ts'

const live = { sandbox: false, role: 'owner', operator: false }

test('switching workspaces keeps the section, without ids of the first workspace', () => {
  assert.equal(sectionIn('/w/1/keys', live), '/w/$workspaceId/keys')
  assert.equal(sectionIn('/w/1/messages/42', live), '/w/$workspaceId/messages')
  assert.equal(sectionIn('/w/1/phone', { ...live, sandbox: true }), '/w/$workspaceId/phone')
})

test('switching from an unknown section leads to the overview', () => {
  assert.equal(sectionIn('/w/1/phone', live), '/w/$workspaceId/overview')
  for (const path of ['/w/1', '/w/1/nothing', '/']) assert.equal(sectionIn(path, live), '/w/$workspaceId/overview')
})

test('a member’s menu has no page that rejects members', () => {
  const namesFor = (role: string): string[] => sectionsOf({ ...live, role }).map(({ name }) => name)
  assert.ok(namesFor('admin').includes('audit'))
  assert.ok(!namesFor('member').includes('audit'))
})

test('only an operator’s menu has the page of the whole instance', () => {
  const namesFor = (operator: boolean): string[] => sectionsOf({ ...live, operator }).map(({ name }) => name)
  assert.ok(namesFor(true).includes('system'))
  assert.ok(!namesFor(false).includes('system'))
})
