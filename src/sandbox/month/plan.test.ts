import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, later } from '../../lib/clock.ts'
import { type Deed, MONTH_DAYS, OUTAGE, planMonth } from './plan.ts'

const ZONES = ['Africa/Casablanca', 'UTC', 'Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kathmandu'] as const
const hourIn = (at: Date, timeZone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).hour

const requestsOf = (deeds: readonly Deed[]): Deed[] =>
  deeds.filter(({ does }) => ['order', 'request_code', 'request_verification'].includes(does))

test('a month that begins at any hour, in any zone, has requests on each of its days, in the hours of the shop, none in the future', () => {
  for (const timeZone of ZONES)
    for (let hour = 0; hour < 24; hour += 5) {
      const from = new Date(Date.UTC(2026, 9, 25) + hour * HOUR_MS)
      const until = later(from, MONTH_DAYS * DAY_MS)
      const deeds = planMonth({ from, timeZone })
      const name = `${timeZone} at ${hour}`
      assert.ok(
        deeds.every(({ at }) => at >= from && at < until),
        name,
      )
      const requests = requestsOf(deeds)
      const days = new Set(requests.map(({ at }) => Math.floor((at.getTime() - from.getTime()) / DAY_MS)))
      assert.equal(days.size, MONTH_DAYS, name)
      assert.ok(
        requests.every(({ at }) => hourIn(at, timeZone) >= 8),
        name,
      )
    }
})

test('a plan is the same each time, has each key once, and its deeds follow what they answer', () => {
  const month = { from: new Date(Date.UTC(2026, 9, 25, 13)), timeZone: 'Africa/Casablanca' }
  const deeds = planMonth(month)
  assert.deepEqual(planMonth(month), deeds)
  assert.equal(new Set(deeds.map(({ key }) => key)).size, deeds.length)
  const orders = new Map(deeds.flatMap((deed) => (deed.does === 'order' ? [[deed.phone, deed.at]] : [])))
  for (const deed of deeds)
    if (deed.does === 'tap' || deed.does === 'choose' || deed.does === 'write')
      assert.ok(Number(orders.get(deed.phone)) < deed.at.getTime(), deed.key)
  const verifications = new Map(
    deeds.flatMap(({ does, key, at }) => (does === 'request_verification' ? [[key, at]] : [])),
  )
  for (const deed of deeds)
    if (deed.does === 'type_code') assert.ok(Number(verifications.get(deed.verification)) < deed.at.getTime(), deed.key)
})

test('a month has Moroccan numbers, three languages, a weekly rhythm, and one Tuesday on which WhatsApp fails', () => {
  const timeZone = 'Africa/Casablanca'
  const deeds = planMonth({ from: new Date(Date.UTC(2026, 9, 25, 13)), timeZone })
  const orders = deeds.flatMap((deed) => (deed.does === 'order' ? [deed] : []))
  assert.ok(orders.every(({ phone }) => /^\+212[67]\d{8}$/.test(phone)))
  assert.deepEqual([...new Set(orders.map(({ language }) => language))].toSorted(), ['ar', 'en', 'fr'])
  const dayOf = (at: Date) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const on = (day: number): number => orders.filter(({ at }) => dayOf(at).dayOfWeek === day).length
  assert.ok(on(6) > 1.4 * on(5), `${on(6)} orders on Saturdays, ${on(5)} on Fridays`)
  const failing = deeds.filter((deed) => 'phone' in deed && deed.phone.endsWith(OUTAGE))
  const days = new Set(failing.map(({ at }) => dayOf(at).toPlainDate().toString()))
  assert.deepEqual([...days], ['2026-11-17'])
  assert.ok(failing.length > 8)
})
