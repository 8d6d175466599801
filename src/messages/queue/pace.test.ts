import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { queryPool } from '../../../test/faults/connections.ts'
import { HIGH_SENDS_PER_SECOND, STANDARD_SENDS_PER_SECOND, paceAfter, paceCapacity } from './pace.ts'

type Pace = { slots: string[]; slotSends: number[] }

const EMPTY: Pace = { slots: [], slotSends: [] }

const PACE = 'from (select $1::bigint[] as slots, $2::int[] as slot_sends) p'

async function capacityAt(pace: Pace, ms: number, throughput: string | null = null): Promise<number> {
  const text = `select ${paceCapacity({ throughput: '$4::text', now: '$3' })} as capacity ${PACE}`
  const { rows } = await (await queryPool()).query<{ capacity: number }>(text, [...valuesOf(pace, ms), throughput])
  return rows[0]?.capacity ?? Number.NaN
}

async function afterSends(pace: Pace, sends: number, ms: number): Promise<Pace> {
  const text = `select after.* ${PACE}
    cross join lateral (${paceAfter({ sends: '$4::int', now: '$3' })}) after (slots, "slotSends")`
  const { rows } = await (await queryPool()).query<Pace>(text, [...valuesOf(pace, ms), sends])
  return rows[0] ?? EMPTY
}

const valuesOf = ({ slots, slotSends }: Pace, ms: number) => [slots, slotSends, new Date(ms)]

test('no second has more sends than the limit, whenever claims happen', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(400), fc.nat(120)), { maxLength: 60 }), async (claims) => {
      let pace = EMPTY
      let ms = 1_000_000
      const sends: { ms: number; count: number }[] = []
      for (const [gap, due] of claims) {
        ms += gap
        const count = Math.min(due, await capacityAt(pace, ms))
        if (count === 0) continue
        pace = await afterSends(pace, count, ms)
        sends.push({ ms, count })
      }
      for (const { ms: end } of sends) {
        const inSecond = sends.filter((each) => each.ms > end - 1000 && each.ms <= end)
        assert.ok(inSecond.reduce((sum, { count }) => sum + count, 0) <= STANDARD_SENDS_PER_SECOND)
      }
    }),
    { numRuns: 30 },
  )
})

test('a sender has full capacity a second and a slot after its last send', async () => {
  const pace = await afterSends(EMPTY, 80, 5_000)
  assert.equal(await capacityAt(pace, 5_999), 0)
  assert.equal(await capacityAt(pace, 6_020), 80)
})

test('sends that were counted by a clock that was ahead do not block the sender after the correction', async () => {
  const ahead = await afterSends(EMPTY, 80, 800 * 86_400_000)
  assert.equal(await capacityAt(ahead, 5_000), 80)
  assert.deepEqual((await afterSends(ahead, 1, 5_000)).slotSends, [1])
})

test('the stored pace never has more slots than a second', async () => {
  let pace = EMPTY
  for (let ms = 0; ms < 3_000; ms += 3) pace = await afterSends(pace, 1, ms)
  assert.ok(pace.slots.length <= 51)
})

test('a sender of HIGH throughput may send 1,000 a second, any other 80', async () => {
  assert.equal(await capacityAt(EMPTY, 5_000, 'HIGH'), HIGH_SENDS_PER_SECOND)
  for (const level of ['STANDARD', 'NOT_APPLICABLE', 'something new', null]) {
    assert.equal(await capacityAt(EMPTY, 5_000, level), STANDARD_SENDS_PER_SECOND)
  }
})
