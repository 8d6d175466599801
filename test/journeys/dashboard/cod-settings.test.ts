import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from '../../../src/cod/settings/language-starts.ts'
import { getCodSettings, saveCodSettings, signIn } from '../../world/dashboard.ts'
import { startWorld } from '../../world/world.ts'

test('saved settings apply to new orders, and the log shows each change', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  assert.equal((await getCodSettings(world, admin)).stored, null)
  const first = await saveCodSettings(world, admin, { timeZone: 'UTC', languages: { en: languageStarts['en'] } }, null)
  assert.ok(first.outcome === 'saved')
  await world.createConfirmation()
  const next = { ...first.settings, timeZone: 'Africa/Casablanca' }
  const second = await saveCodSettings(world, admin, next, first.updatedAt)
  assert.ok(second.outcome === 'saved')
  assert.deepEqual(second.changes, [{ pointer: '/timeZone', before: 'UTC', after: 'Africa/Casablanca' }])
  const log = await world.query(
    `select who, before, after from audit_log where workspace_id = $1 and action = 'cod_settings.changed' order by id`,
    [world.workspaceId],
  )
  assert.deepEqual(log.at(-1), {
    who: admin.email,
    before: { '/timeZone': 'UTC' },
    after: { '/timeZone': 'Africa/Casablanca' },
  })
  assert.equal(log.length, 2)
})

test('all faults are reported together, and faulty settings are not stored', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const faulty = { timeZone: '+02:00', deliveryDays: { offered: 4 }, confirmation: { reminderMinutes: 14 } }
  const answer = await saveCodSettings(world, admin, faulty, null)
  assert.ok(answer.outcome === 'faulty')
  assert.deepEqual(
    answer.faults.map(({ pointer }) => pointer),
    ['/timeZone', '/deliveryDays/offered', '/confirmation/reminderMinutes'],
  )
  assert.equal((await getCodSettings(world, admin)).stored, null)
})

test('a concurrent save is rejected with the other person’s settings', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const [one, other] = [await signIn(world, 'admin'), await signIn(world, 'admin')]
  const [mine, theirs] = [(await getCodSettings(world, one)).stored, (await getCodSettings(world, other)).stored]
  assert.ok(mine && theirs)
  const answers = await Promise.all([
    saveCodSettings(world, one, { ...mine.settings, timeZone: 'UTC' }, mine.updatedAt),
    saveCodSettings(world, other, { ...theirs.settings, timeZone: 'Asia/Karachi' }, theirs.updatedAt),
  ])
  const [saved, conflict] = answers.toSorted((a, b) => (a.outcome < b.outcome ? 1 : -1))
  assert.ok(saved?.outcome === 'saved' && conflict?.outcome === 'conflict')
  assert.equal(conflict.stored?.settings.timeZone, saved.settings.timeZone)
  assert.deepEqual((await getCodSettings(world, one)).stored, { settings: saved.settings, updatedAt: saved.updatedAt })
})

test('of two concurrent first saves only one succeeds', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const answers = await Promise.all(
    ['UTC', 'Asia/Karachi', 'Africa/Cairo'].map((timeZone) => saveCodSettings(world, admin, { timeZone }, null)),
  )
  assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), ['conflict', 'conflict', 'saved'])
})

test('a member can read and try out the settings, but not save', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const member = await signIn(world, 'member')
  assert.ok((await getCodSettings(world, member)).stored)
  const { workspaceId } = world
  const tried = await member.calls.codSettings.tryOut.mutate({ workspaceId, settings: {}, language: null })
  assert.deepEqual(tried.faults, [{ pointer: '/timeZone', detail: { code: 'cod.settings_required' } }])
  await assert.rejects(saveCodSettings(world, member, { timeZone: 'UTC' }, null), /This requires the role admin/)
})
