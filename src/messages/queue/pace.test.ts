import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type SenderPace, capacityNow, sendsPerSecond, withSends } from './pace.ts'

test('no second has more sends than the limit, whenever claims happen', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(400), fc.nat(120)), { maxLength: 60 }), (claims) => {
      const limit = 80
      let pace: SenderPace = { slots: [], slotSends: [] }
      let ms = 1_000_000
      const sends: { ms: number; count: number }[] = []
      for (const [gap, due] of claims) {
        ms += gap
        const count = Math.min(due, capacityNow(pace, limit, new Date(ms)))
        if (count === 0) continue
        pace = withSends(pace, count, new Date(ms))
        sends.push({ ms, count })
      }
      for (const { ms: end } of sends) {
        const inSecond = sends.filter((each) => each.ms > end - 1000 && each.ms <= end)
        assert.ok(inSecond.reduce((sum, { count }) => sum + count, 0) <= limit)
      }
    }),
  )
})

test('a sender has full capacity a second and a slot after its last send', () => {
  const pace = withSends({ slots: [], slotSends: [] }, 80, new Date(5_000))
  assert.equal(capacityNow(pace, 80, new Date(5_999)), 0)
  assert.equal(capacityNow(pace, 80, new Date(6_020)), 80)
})

test('sends that were counted by a clock that was ahead do not block the sender after the correction', () => {
  const ahead = withSends({ slots: [], slotSends: [] }, 80, new Date(800 * 86_400_000))
  assert.equal(capacityNow(ahead, 80, new Date(5_000)), 80)
  assert.deepEqual(withSends(ahead, 1, new Date(5_000)).slotSends, [1])
})

test('the stored pace never has more slots than a second', () => {
  let pace: SenderPace = { slots: [], slotSends: [] }
  for (let ms = 0; ms < 20_000; ms += 3) pace = withSends(pace, 1, new Date(ms))
  assert.ok(pace.slots.length <= 51)
})

test('a sender of HIGH throughput may send 1,000 a second, any other 80', () => {
  assert.equal(sendsPerSecond('HIGH'), 1_000)
  for (const level of ['STANDARD', 'NOT_APPLICABLE', 'something new', null]) assert.equal(sendsPerSecond(level), 80)
})
