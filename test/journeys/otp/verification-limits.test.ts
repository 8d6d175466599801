import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAX_RESENDS,
  MAX_SENDS_IN_SHORT,
  MIN_SUSPICIOUS,
  MIN_WRONG,
  RESEND_INTERVAL_MS,
} from '../../../src/otp/verifications/limits.ts'
import { MINUTE_MS, later } from '../../../src/lib/clock.ts'
import { countChecks, findGuessing } from '../../../src/otp/verifications/check-counts.ts'
import { findSetupProblemsOf } from '../../../src/operations/doctor/setup.ts'
import { signIn } from '../../world/dashboard.ts'
import { verificationsPath, wrongCode } from '../../world/verifications.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

test('a resend sends the same code in another message, which takes another unit', async (t) => {
  const world = await startWorld(t)
  const started = await world.startVerification()
  const code = await world.codeOn(started)
  const early = await world.resend(started)
  assert.deepEqual([early.status, early.body.code], [429, 'OTP_RESEND_LIMITED'])
  assert.match(String(early.body.detail), /It can be sent again at 20\d\d-/)

  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const resent = await world.resend(started)
  assert.equal(resent.status, 202, resent.text)
  const messageId = String(resent.body.messageId)
  assert.notEqual(messageId, started.verificationId)
  assert.equal(await world.codeOn({ messageId }), code)
  assert.equal((await world.getOtp({ messageId })).to, started.to)
  const [{ used } = { used: 0 }] = await world.query<{ used: number }>(
    'select used from quota_usage where workspace_id = $1',
    [world.workspaceId],
  )
  assert.equal(used, 2)
  assert.equal((await world.check(started, code)).body.status, 'approved')
  assert.equal((await world.resend(started)).body.code, 'OTP_VERIFICATION_ENDED')
})

test('of simultaneous resends on two nodes one is accepted, and a repeat with its key gets its response', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const started = await world.startVerification()
  await world.codeOn(started)
  for (let resend = 1; resend <= MAX_RESENDS; resend += 1) {
    world.advance(`${RESEND_INTERVAL_MS}ms`)
    const headers = { 'idempotency-key': `resend ${resend}` }
    const urls = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? world.first.url : other.url))
    const answers = await Promise.all(urls.map((url) => world.resend(started, { url })))
    const keyed = await world.resend(started, { headers })
    assert.equal(answers.filter(({ status }) => status === 202).length, 1)
    assert.ok(answers.every(({ status, body }) => status === 202 || body.code === 'OTP_RESEND_LIMITED'))
    assert.equal(keyed.status, 429)
  }
  const messages = 'select id from messages where verification_id = $1'
  assert.equal((await world.query(messages, [started.verificationId])).length, MAX_RESENDS)
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  assert.match(String((await world.resend(started)).body.detail), /sent again 3 times, the maximum/)

  const keyed = await world.startVerification()
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const headers = { 'idempotency-key': 'again' }
  const first = await world.resend(keyed, { headers })
  const repeated = await world.resend(keyed, { headers, body: {} })
  assert.deepEqual([repeated.status, repeated.body], [202, first.body])
})

test('a recipient gets only so many verifications, exactly, however many are started at the same time on two nodes', async (t) => {
  const world = await startWorld(t, { works: false })
  const other = await world.node()
  const body = world.verificationBody()
  const answers = await Promise.all(
    Array.from({ length: 3 * MAX_SENDS_IN_SHORT }, (_, index) =>
      world.request('POST', verificationsPath, { body, url: index % 2 === 0 ? world.first.url : other.url }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 202).length, MAX_SENDS_IN_SHORT)
  const rejected = answers.find(({ status }) => status !== 202)
  assert.deepEqual([rejected?.status, rejected?.body.code], [429, 'OTP_RECIPIENT_LIMITED'])
  await world.startVerification()
  const stored = await world.query('select id from otp_verifications where workspace_id = $1 and recipient = $2', [
    world.workspaceId,
    body.to,
  ])
  assert.equal(stored.length, MAX_SENDS_IN_SHORT)
  world.advance('10m')
  await world.startVerification({ to: body.to })
})

type Finding = 'pumping' | 'guessing'

/** What the overview shows, without its level; `doctor` reports the same. */
async function attention(world: World, finding: Finding): Promise<object[]> {
  const { calls } = await signIn(world, 'member')
  const shown = await calls.workspaces.attention.query({ workspaceId: world.workspaceId })
  const code = ({ pumping: 'verifications_pumped', guessing: 'verifications_guessed' } as const)[finding]
  const { db, seal } = world.parts
  const found = await findSetupProblemsOf(
    db,
    { workspaceId: world.workspaceId, name: 'Shop' },
    { seal, now: world.clock.now() },
  )
  const items = shown.filter(({ about }) => about === finding)
  assert.equal(found.filter((each) => each.code === code).length, items.length)
  return items.map(({ about: _about, level: _level, ...item }) => item)
}

test('many numbers of one prefix without an approval are pumping, until enough are approved', async (t) => {
  const world = await startWorld(t)
  const prefix = newPhone().slice(0, -4)
  const numbers = Array.from({ length: MIN_SUSPICIOUS }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`)
  const started = []
  for (const number of numbers) started.push(await world.startVerification({ to: number }))
  const to = `${prefix}9999`
  const post = () => world.request('POST', verificationsPath, { body: world.verificationBody({ to }) })
  const rejected = await post()
  assert.deepEqual([rejected.status, rejected.body.code], [429, 'OTP_PUMPING_SUSPECTED'])
  await world.startVerification() // another prefix
  assert.deepEqual(await attention(world, 'pumping'), [{ prefix, started: MIN_SUSPICIOUS, approved: 0 }])
  for (const verification of started.slice(0, 3)) await world.check(verification, await world.codeOn(verification))
  assert.equal((await post()).status, 202)
  assert.deepEqual(await attention(world, 'pumping'), [])
})

test('a prefix gets only so many verifications, exactly, however many are started at the same time on two nodes', async (t) => {
  const world = await startWorld(t, { works: false })
  const other = await world.node()
  const prefix = newPhone().slice(0, -4)
  const keys = [await world.freshKey(), await world.freshKey()]
  const answers = await Promise.all(
    Array.from({ length: 2 * MIN_SUSPICIOUS }, (_, index) => {
      const [key, url] = index % 2 === 0 ? [keys[0], world.first.url] : [keys[1], other.url]
      const body = world.verificationBody({ to: `${prefix}${String(index).padStart(4, '0')}` })
      return world.request('POST', verificationsPath, { body, url, ...(key && { key }) })
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 202).length, MIN_SUSPICIOUS)
  const rejected = answers.filter(({ status }) => status !== 202)
  assert.ok(rejected.every(({ body }) => body.code === 'OTP_PUMPING_SUSPECTED'))
  assert.deepEqual(await attention(world, 'pumping'), [{ prefix, started: MIN_SUSPICIOUS, approved: 0 }])
  world.advance('59m') // the finding does not end with the verifications
  assert.equal((await attention(world, 'pumping')).length, 1)
  world.advance('1m')
  assert.deepEqual(await attention(world, 'pumping'), [])
})

test('many wrong codes of many numbers and few right ones stop new verifications of the workspace for an hour', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const started = []
  for (let number = 0; number < MIN_WRONG / 10; number += 1)
    started.push(await world.startVerification({ maxAttempts: 10 }))
  const pending = await world.startVerification()
  for (const verification of started) {
    const [key, code] = [await world.freshKey(), wrongCode(await world.codeOn(verification))]
    const urls = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? world.first.url : other.url))
    await Promise.all(urls.map((url) => world.check(verification, code, { url, key }))) // two of 12 are not compared
  }
  const rejected = await world.request('POST', verificationsPath, { body: world.verificationBody() })
  assert.deepEqual([rejected.status, rejected.body.code], [429, 'OTP_GUESSING_SUSPECTED'])
  assert.match(String(rejected.body.detail), /Within 60 minutes, 100 wrong codes and 0 right ones/)
  assert.deepEqual(await attention(world, 'guessing'), [{ wrong: MIN_WRONG, right: 0 }])
  assert.equal((await world.check(pending, await world.codeOn(pending))).body.status, 'approved')
  assert.deepEqual(await attention(world, 'guessing'), [{ wrong: MIN_WRONG, right: 1 }])
  const another = await startWorld(t)
  await another.startVerification()
  world.advance('60m')
  assert.deepEqual(await attention(world, 'guessing'), [])
  await world.startVerification()
})

test('checks are counted for the present half hour and the one before', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, parts } = world
  const begin = new Date('2026-11-24T12:00:00Z')
  const add = (minutes: number, wrong: number) =>
    parts.db.transaction((tx) =>
      countChecks(tx, [{ workspaceId, at: later(begin, minutes * MINUTE_MS), right: 1, wrong }]),
    )
  const counted = async (minutes: number) => {
    await add(minutes, MIN_WRONG)
    return findGuessing(parts.db, workspaceId, later(begin, minutes * MINUTE_MS))
  }
  await add(0, 1)
  await add(29, 2)
  assert.deepEqual(await counted(30), { right: 3, wrong: MIN_WRONG + 3 })
  assert.deepEqual(await counted(29), { right: 4, wrong: 2 * MIN_WRONG + 3 }, 'of a node that is late')
  assert.deepEqual(await counted(60), { right: 3, wrong: 3 * MIN_WRONG })
  assert.deepEqual(await counted(150), { right: 1, wrong: MIN_WRONG })
})

test('after many wrong codes a number can start no verification for a day', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  for (let verification = 0; verification < 2; verification += 1) {
    const started = await world.startVerification({ to, maxAttempts: 10 })
    const code = await world.codeOn(started)
    for (let attempt = 0; attempt < 10; attempt += 1) await world.check(started, wrongCode(code))
  }
  const answer = await world.request('POST', verificationsPath, { body: world.verificationBody({ to }) })
  assert.equal(answer.body.code, 'OTP_RECIPIENT_LIMITED')
  assert.match(String(answer.body.detail), /20 wrong codes/)
})
