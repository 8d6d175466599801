import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { assertVerified } from '../world/verified.ts'
import { type StartedVerification, wrongCode } from '../world/verifications.ts'
import { type World, startWorld } from '../world/world.ts'

/** Chosen so that a run takes half a minute; a failure prints its seed. */
const RUNS = 40
const TTL_SECONDS = 60

/** Checks that arrive at the same time, each at one of two nodes. */
type Check = { isRight: boolean; node: 0 | 1 }
type Step = { waitSeconds: number; checks: Check[] }

const check: fc.Arbitrary<Check> = fc.record({
  isRight: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  node: fc.constantFrom(0 as const, 1 as const),
})
const step: fc.Arbitrary<Step> = fc.record({
  waitSeconds: fc.constantFrom(0, 0, 0, 20, 45),
  checks: fc.array(check, { minLength: 1, maxLength: 8 }),
})

type Model = { status: 'pending' | 'approved' | 'expired' | 'locked'; attemptsLeft: number; ageSeconds: number }
type Outcome = { status: string; attemptsLeft: number }

test('simultaneous checks on two nodes end as if they came one by one: no attempt more than allowed, and one approval', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const other = await world.node()
  const urls = [world.first.url, other.url] as const
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 10 }),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (maxAttempts, steps) => {
        await world.query('delete from otp_checks where workspace_id = $1', [world.workspaceId]) // all would be guessing
        const started = await world.startVerification({ maxAttempts, ttlSeconds: TTL_SECONDS })
        const code = await world.codeOn(started)
        await world.settled() // its message is sent before the clock moves
        const model: Model = { status: 'pending', attemptsLeft: maxAttempts, ageSeconds: 0 }
        for (const { waitSeconds, checks } of steps) {
          world.advance(`${waitSeconds}s`)
          model.ageSeconds += waitSeconds
          const answers = await Promise.all(
            checks.map(({ isRight, node }) =>
              world.check(started, isRight ? code : wrongCode(code), { url: urls[node] }),
            ),
          )
          const outcomes = answers.map(({ status, body }): Outcome => {
            if (status === 200) return { status: String(body.status), attemptsLeft: Number(body.attemptsLeft) }
            assert.deepEqual([status, body.code], [409, 'OTP_VERIFICATION_ENDED'])
            return { status: 'ended', attemptsLeft: 0 }
          })
          apply(model, checks, outcomes)
        }
        await assertStored(world, started, { model, maxAttempts })
      },
    ),
    { numRuns: RUNS },
  )
  await world.settled()
  await assertVerified(world)
  const ends = receiver.events().filter(({ type }) => type.startsWith('otp.'))
  const ended = new Set(ends.map(({ data }) => data['verificationId']))
  // A webhook may be delivered twice: the clock is moved past its lease.
  const different = new Set(ends.map(({ type, data }) => `${type} ${String(data['verificationId'])}`))
  assert.equal(different.size, ended.size, 'one event for each verification that ended')
})

/** Some order of the checks must lead to these outcomes, each check with its own. */
function apply(model: Model, checks: readonly Check[], outcomes: readonly Outcome[]): void {
  const count = (status: string): number => outcomes.filter((each) => each.status === status).length
  if (model.status === 'pending' && model.ageSeconds >= TTL_SECONDS) model.status = 'expired'
  if (model.status !== 'pending') {
    assert.equal(count(model.status === 'approved' ? 'ended' : model.status), checks.length)
    return
  }
  const left = outcomes.filter(({ status }) => status === 'pending').map(({ attemptsLeft }) => attemptsLeft)
  const expected = left.map((_, index) => model.attemptsLeft - index - 1)
  assert.deepEqual(
    left.toSorted((one, other) => other - one),
    expected,
    'each wrong code counts once',
  )
  assert.ok(expected.every((attempts) => attempts > 0))
  for (const [index, { isRight }] of checks.entries()) {
    if (outcomes[index]?.status === 'approved') assert.ok(isRight)
    if (outcomes[index]?.status === 'pending') assert.ok(!isRight)
  }
  model.attemptsLeft -= left.length
  const others = checks.length - left.length
  if (count('approved') > 0) {
    model.status = 'approved'
    assert.deepEqual([count('approved'), count('ended')], [1, others - 1])
  } else if (others > 0) {
    model.status = 'locked'
    assert.deepEqual([model.attemptsLeft, count('locked')], [1, others], 'only the last attempt locks it')
  }
}

async function assertStored(
  world: World,
  { verificationId }: StartedVerification,
  { model, maxAttempts }: { model: Model; maxAttempts: number },
): Promise<void> {
  const [row] = await world.query<{ status: string; wrong: number; events: string[] }>(
    `select status, cardinality(wrong_at) as wrong,
       array (select type from events where message_id = v.id and type like 'otp.%') as events
     from otp_verifications v where id = $1`,
    [verificationId],
  )
  const isLate = model.status === 'pending' && model.ageSeconds >= TTL_SECONDS // the timer may have ended it
  const status = isLate && row?.status === 'expired' ? 'expired' : model.status
  const wrong = status === 'locked' ? maxAttempts : maxAttempts - model.attemptsLeft
  const events = { pending: [], approved: ['otp.verified'], expired: FAILED, locked: FAILED }[status]
  assert.deepEqual(row, { status, wrong, events })
  const [counted = { right: 0, wrong: 0 }] = await world.query<{ right: number; wrong: number }>(
    `select right_codes + earlier_right_codes as "right", wrong_codes + earlier_wrong_codes as wrong
     from otp_checks where workspace_id = $1`,
    [world.workspaceId],
  )
  assert.deepEqual(counted, { right: status === 'approved' ? 1 : 0, wrong }, 'the workspace counts each check once')
}

const FAILED = ['otp.verification_failed']
