import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { seededNumbers } from '../../lib/random.ts'
import { FIRST_NAMES, LANGUAGE_OF_TEN, NOTES, PRODUCTS, type ShopLanguage, priceIn } from './shop.ts'

export const MONTH_DAYS = 30

/** What a customer or the shop's backend does. `key`: the same for each run of a plan, so that nothing is requested twice. */
export type Deed = { at: Date; key: string } & (
  | ({ does: 'request_code' | 'request_verification' } & Addressed)
  /** The customer types the code of the verification into the shop's page. */
  | ({ does: 'type_code'; verification: string; isRight: boolean } & Addressed)
  | ({ does: 'order' } & Order)
  | { does: 'tap'; phone: string; button: number }
  | { does: 'choose'; phone: string; row: number }
  | { does: 'write'; phone: string; text: string }
  /** The driver notes that the customer refused the parcel of this order. */
  | { does: 'return_parcel'; order: string; language: ShopLanguage; name: string; reference: string }
)

type Addressed = { phone: string; language: ShopLanguage }
export type Order = Addressed & { key: string; name: string; goods: string; price: string; reference: string }

export type Month = {
  /** The workspace's time at which it begins, MONTH_DAYS before its end. */
  from: Date
  timeZone: string
}

/** How many orders come on Monday to Sunday: most at the weekend, fewest on Friday. */
const ORDERS_ON = [8, 9, 8, 10, 6, 13, 11] as const
const CODES_PER_ORDER = 1.3
const TUESDAY = 2
/** The bad Tuesday is the last one that is as old as this: with days of both kinds after it. */
const OUTAGE_DAYS_AGO = 2
/** In these hours of it, WhatsApp fails every message. */
const OUTAGE_HOURS = { from: 10, until: 20 }

/** The moments of a day in which requests come: their number decides how long it takes to make a month. */
const MOMENTS = 6
const OPENS_AT_MS = 8 * HOUR_MS
const OPEN_MS = 15 * HOUR_MS
/** Quick customers act together, so many minutes after the requests of a moment. Codes are typed while they are valid. */
const QUICK_MINUTES = [2, 4, 7, 3, 8, 6, 22, 4, 45, 3] as const
const CODE_MINUTES = 9
const REMINDED_AFTER_MS = 2 * HOUR_MS

/**
 * Everything that happens in a month, in order. Pure: the same for the same month, so that an interrupted month continues where it
 * was. What becomes of it, from the message to the webhook, is up to the machines.
 */
export function planMonth({ from, timeZone }: Month): Deed[] {
  const until = later(from, MONTH_DAYS * DAY_MS)
  const random = createRandom(from.getTime())
  const first = zoned(from, timeZone).toPlainDate()
  const outage = outageDay(until, timeZone)
  const days = Array.from({ length: MONTH_DAYS + 1 }, (_, day) => {
    const date = first.add({ days: day })
    const orders = Math.round((ORDERS_ON[date.dayOfWeek - 1] ?? 8) * random.between(0.8, 1.2))
    return { date, orders, codes: Math.round(orders * CODES_PER_ORDER), moments: momentsOf(date, timeZone, random) }
  })
  const moments = days.flatMap((day) => day.moments.flatMap(({ at, quickAt }) => [at, quickAt]))
  /** Who takes longer acts when others do: each moment costs time. */
  const nextMoment = (at: Date): Date => moments.find((moment) => moment >= at) ?? at
  const shared = { random, nextMoment }
  let [order, code, phone] = [0, 0, 0]
  const deeds: Deed[] = []
  for (const { date, orders, codes, moments: ofDay } of days) {
    for (let n = 0; n < orders + codes; n += 1) {
      const drawn = Math.floor(random.next() * MOMENTS)
      const { at, quickAt, hour } = n < orders ? pick(ofDay, drawn) : pick(ofDay.filter(isQuick), drawn)
      if (at < from) continue
      const fails = date.equals(outage) && hour >= OUTAGE_HOURS.from && hour < OUTAGE_HOURS.until
      if (n < orders) deeds.push(...planOrder(at, { ...shared, quickAt, nth: order++, phoneNth: phone++, fails }))
      else deeds.push(...planCode(at, { ...shared, quickAt, nth: code++, phoneNth: phone++, fails }))
    }
  }
  return deeds.filter(({ at }) => at < until).toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

const zoned = (at: Date, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)

function outageDay(until: Date, timeZone: string): Temporal.PlainDate {
  const latest = zoned(until, timeZone).toPlainDate().subtract({ days: OUTAGE_DAYS_AGO })
  return latest.subtract({ days: (latest.dayOfWeek - TUESDAY + 7) % 7 })
}

/** Requests come at `at`, and quick customers act at `quickAt`. */
type Moment = { at: Date; quickAt: Date; hour: number }

const isQuick = ({ at, quickAt }: Moment): boolean => quickAt.getTime() - at.getTime() <= CODE_MINUTES * MINUTE_MS

/** One in each part of the day, later ones closer together: most people order in the evening. */
const momentsOf = (date: Temporal.PlainDate, timeZone: string, random: Random): Moment[] =>
  Array.from({ length: MOMENTS }, (_, each) => {
    const afterMs = OPENS_AT_MS + Math.round(OPEN_MS * ((each + random.between(0.1, 0.9)) / MOMENTS) ** 0.85)
    const at = date.toZonedDateTime(timeZone).add({ milliseconds: afterMs }).epochMilliseconds
    // The first moment of a day is quick: codes need one.
    const minutes =
      each === 0 ? QUICK_MINUTES[0] : pick(QUICK_MINUTES, Math.floor(random.next() * QUICK_MINUTES.length))
    return { at: new Date(at), quickAt: later(new Date(at), minutes * MINUTE_MS), hour: afterMs / HOUR_MS }
  })

type Visit = {
  random: Random
  nextMoment: (at: Date) => Date
  quickAt: Date
  nth: number
  phoneNth: number
  fails: boolean
}

/** The last digits of numbers with which the emulator does something special (packages/whatsapp-emulator/README.md). */
export const OUTAGE = '1016'
const SPECIAL_OF_CODES = { 11: '0601', 17: '1026', 23: '0601', 29: '0600', 37: '0604', 41: '0602', 47: '1049' } as const
const CODES_CYCLE = 48
const VERIFICATION_OF = 4

function planCode(at: Date, { random, quickAt, nth, phoneNth, fails }: Visit): Deed[] {
  const special = (SPECIAL_OF_CODES as Record<number, string>)[nth % CODES_CYCLE]
  const phone = phoneOf(phoneNth, fails ? OUTAGE : special)
  const language = pick(LANGUAGE_OF_TEN, phoneNth * 3)
  const key = `code-${nth}`
  if (nth % VERIFICATION_OF !== 0) return [{ does: 'request_code', at, key, phone, language }]
  const requested = { does: 'request_verification', at, key, phone, language } as const
  if (fails || special !== undefined) return [requested]
  const typed = { does: 'type_code', verification: key, phone, language, at: quickAt } as const
  const [neverTyped, wrongFirst] = [random.next() < 0.1, random.next() < 0.15]
  if (neverTyped) return [requested]
  return [
    requested,
    ...(wrongFirst ? [{ ...typed, key: `${key}-wrong`, isRight: false }] : []),
    { ...typed, key: `${key}-typed`, isRight: true, at: wrongFirst ? later(quickAt, 20 * SECOND_MS) : quickAt },
  ]
}

/** Of a hundred orders. The rest is never answered. */
const ANSWERS = [
  { does: 'confirm', share: 43 },
  { does: 'confirm_reminded', share: 16 },
  { does: 'cancel', share: 8 },
  { does: 'cancel_reminded', share: 2 },
  { does: 'reschedule', share: 10 },
  { does: 'stop_halfway', share: 2 },
  { does: 'change_mind', share: 2 },
  { does: 'unreachable', share: 3 },
] as const

/** Of the confirmed orders, so many parcels come back. */
const RETURNED_SHARE = 0.13
const [CONFIRM, CANCEL, CHANGE_TIME] = [0, 1, 2]
const THINKS_MS = 25 * SECOND_MS

function planOrder(at: Date, { random, nextMoment, quickAt, nth, phoneNth, fails }: Visit): Deed[] {
  const answer = fails ? 'unreachable' : pickByShare(ANSWERS, random.next() * 100)
  const phone = phoneOf(phoneNth, fails ? OUTAGE : answer === 'unreachable' ? '1026' : undefined)
  const order = orderOf({ nth, phone, language: pick(LANGUAGE_OF_TEN, phoneNth) })
  const quick = random.next() < 0.9
  const answeredAt = quick ? quickAt : nextMoment(later(at, 15 * MINUTE_MS))
  const remindedAt = nextMoment(later(at, REMINDED_AFTER_MS + 3 * MINUTE_MS))
  const tap = (button: number, tappedAt: Date, key = 'answer'): Deed => {
    return { does: 'tap', at: tappedAt, key: `${order.key}-${key}`, phone, button }
  }
  const deeds: Deed[] = [{ does: 'order', at, ...order }]
  if (answer === 'confirm') deeds.push(tap(CONFIRM, answeredAt))
  if (answer === 'confirm_reminded') deeds.push(tap(CONFIRM, remindedAt))
  if (answer === 'cancel') deeds.push(tap(CANCEL, answeredAt))
  if (answer === 'cancel_reminded') deeds.push(tap(CANCEL, remindedAt))
  if (answer === 'change_mind')
    deeds.push(tap(CONFIRM, answeredAt), tap(CANCEL, nextMoment(later(answeredAt, HOUR_MS)), 'changed'))
  if (answer === 'stop_halfway') deeds.push(tap(CHANGE_TIME, answeredAt))
  if (answer === 'reschedule') {
    deeds.push(
      tap(CHANGE_TIME, answeredAt),
      tap(Math.floor(random.next() * 3), later(answeredAt, THINKS_MS), 'day'),
      tap(Math.floor(random.next() * 2), later(answeredAt, 2 * THINKS_MS), 'time'),
    )
  }
  const isConfirmed = answer === 'confirm' || answer === 'confirm_reminded'
  if (isConfirmed && random.next() < RETURNED_SHARE) deeds.push(...planReturn(at, { order, nth, random, nextMoment }))
  return deeds
}

const REFUSED_SHARE = 0.7
/** Refused parcels of which the customer gives no reason of the list, but writes one. */
const WRITES_OF = 4
const [YES, NO] = [0, 1]
const OTHER_REASON = -1

/** The driver was there one or two days later. */
function planReturn(
  at: Date,
  { order, nth, random, nextMoment }: { order: Order } & Pick<Visit, 'nth' | 'random' | 'nextMoment'>,
): Deed[] {
  const { phone, language, name, reference, key } = order
  const returnedAt = nextMoment(later(at, random.between(22, 50) * HOUR_MS))
  const answeredAt = nextMoment(later(returnedAt, 3 * MINUTE_MS))
  const returned = { does: 'return_parcel', at: returnedAt, key: `${key}-return`, order: key, language } as const
  const deeds: Deed[] = [{ ...returned, name, reference }]
  if (random.next() < 0.15) return deeds
  const isRefused = random.next() < REFUSED_SHARE
  deeds.push({ does: 'tap', at: answeredAt, key: `${key}-refusal`, phone, button: isRefused ? YES : NO })
  if (!isRefused) return deeds
  const row = nth % WRITES_OF === 0 ? OTHER_REASON : Math.floor(random.next() * 3)
  deeds.push({ does: 'choose', at: later(answeredAt, THINKS_MS), key: `${key}-reason`, phone, row })
  if (row !== OTHER_REASON) return deeds
  const text = pick(NOTES[language], nth)
  deeds.push({ does: 'write', at: later(answeredAt, 3 * THINKS_MS), key: `${key}-note`, phone, text })
  return deeds
}

function orderOf({ nth, phone, language }: Addressed & { nth: number }): Order {
  const product = pick(PRODUCTS, nth * 7)
  return {
    key: `order-${nth}`,
    phone,
    language,
    name: pick(FIRST_NAMES[language], nth * 5),
    goods: product[language],
    price: priceIn[language](product.dirhams),
    reference: `A-${5_001 + nth}`,
  }
}

/** Moroccan mobile numbers. The last digits decide what the emulator does with a message; from 2000 on nothing special. */
function phoneOf(nth: number, ending = String(2_000 + ((nth * 37) % 8_000))): string {
  const middle = String(10_000 + nth * 61)
  return `+212${nth % 3 === 0 ? 7 : 6}${middle.slice(-4)}${ending}`
}

type Random = ReturnType<typeof createRandom>

function createRandom(seed: number) {
  const next = seededNumbers(seed)
  return { next, between: (min: number, max: number): number => min + (max - min) * next() }
}

const pick = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item

function pickByShare<Each extends { does: string; share: number }>(
  all: readonly Each[],
  drawn: number,
): Each['does'] | undefined {
  let sum = 0
  return all.find(({ share }) => (sum += share) > drawn)?.does
}
