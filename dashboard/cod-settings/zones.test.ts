import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCodSettings } from '../../src/cod/settings/settings.ts'
import { zonesWith } from './zones.ts'

test('a zone is found by the present name of its city, which the server accepts and keeps', () => {
  const zones = zonesWith('')
  for (const zone of ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Yangon', 'Asia/Ho_Chi_Minh', 'Europe/Kyiv'])
    assert.ok(zones.includes(zone), zone)
  for (const zone of ['Asia/Calcutta', 'Asia/Katmandu']) assert.ok(!zones.includes(zone), zone)
  assert.equal(new Set(zones).size, zones.length)
  for (const timeZone of zones) {
    const read = readCodSettings({ timeZone, languages: {} })
    assert.equal('settings' in read && read.settings.timeZone, timeZone)
  }
})

test('a zone that was set under an older name can still be chosen', () => {
  assert.equal(zonesWith('Asia/Calcutta')[0], 'Asia/Calcutta')
})
