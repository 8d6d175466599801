import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { languageStarts } from '../../src/cod/language-starts.ts'
import { closeBrowser } from '../browser.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

const save = ({ workspaceId }: World, { calls }: SignedIn, settings: unknown, basedOn: string | null) =>
  calls.codSettings.save.mutate({ workspaceId, settings, basedOn })

const get = ({ workspaceId }: World, { calls }: SignedIn) => calls.codSettings.get.query({ workspaceId })

test('settings that are saved are those that orders then meet, and the log says who changed what', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  assert.equal((await get(world, admin)).stored, null)
  const first = await save(world, admin, { timeZone: 'UTC', languages: { en: languageStarts['en'] } }, null)
  assert.ok(first.outcome === 'saved')
  await world.createConfirmation()
  const next = { ...first.settings, timeZone: 'Africa/Casablanca' }
  const second = await save(world, admin, next, first.updatedAt)
  assert.ok(second.outcome === 'saved')
  assert.deepEqual(second.changes, [{ pointer: '/timeZone', before: 'UTC', after: 'Africa/Casablanca' }])
  const log = await world.ask(
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

test('all faults come at once, and nothing of faulty settings is stored', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  const faulty = { timeZone: 'CET', deliveryDays: { offered: 4 }, confirmation: { reminderMinutes: 14 } }
  const answer = await save(world, admin, faulty, null)
  assert.ok(answer.outcome === 'faulty')
  assert.deepEqual(
    answer.faults.map(({ pointer }) => pointer),
    ['/timeZone', '/deliveryDays/offered', '/confirmation/reminderMinutes'],
  )
  assert.equal((await get(world, admin)).stored, null)
})

test('of two who save at once the second is told what the first one set, and loses nothing', async (t) => {
  const world = await startWorld(t)
  const [one, other] = [await signedIn(world, 'admin'), await signedIn(world, 'admin')]
  await world.codSettings()
  const [mine, theirs] = [(await get(world, one)).stored, (await get(world, other)).stored]
  assert.ok(mine && theirs)
  const answers = await Promise.all([
    save(world, one, { ...mine.settings, timeZone: 'UTC' }, mine.updatedAt),
    save(world, other, { ...theirs.settings, timeZone: 'Asia/Karachi' }, theirs.updatedAt),
  ])
  const [saved, overtaken] = answers.toSorted((a, b) => (a.outcome < b.outcome ? 1 : -1))
  assert.ok(saved?.outcome === 'saved' && overtaken?.outcome === 'overtaken')
  assert.equal(overtaken.stored?.settings.timeZone, saved.settings.timeZone)
  assert.deepEqual((await get(world, one)).stored, { settings: saved.settings, updatedAt: saved.updatedAt })
})

test('of two who set them for the first time at once only one does', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  const answers = await Promise.all(
    ['UTC', 'Asia/Karachi', 'Africa/Cairo'].map((timeZone) => save(world, admin, { timeZone }, null)),
  )
  assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), ['overtaken', 'overtaken', 'saved'])
})

test('a member reads the settings and tries them out, and changes nothing', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  await world.codSettings()
  assert.ok((await get(world, member)).stored)
  const { workspaceId } = world
  const tried = await member.calls.codSettings.tryOut.mutate({ workspaceId, settings: {}, language: null })
  assert.deepEqual(tried.faults, [{ pointer: '/timeZone', detail: 'is required' }])
  await assert.rejects(save(world, member, { timeZone: 'UTC' }, null), /This takes the role admin/)
})
