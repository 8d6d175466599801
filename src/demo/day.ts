import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Emulator } from '../../emulator/emulator.ts'
import { confirmationAccepting } from '../cod/accept.ts'
import { refusalCheckAccepting } from '../cod/accept-refusal.ts'
import { HOUR_MS, MINUTE_MS, later } from '../clock.ts'
import { Refusal } from '../errors.ts'
import { parseApiKey } from '../ids.ts'
import { otpAccepting } from '../otp/accept.ts'
import type { Parts } from '../parts.ts'
import { findDueOf, isBusy } from '../sandbox/due.ts'
import type { DayClock } from './day-clock.ts'

/** How long ago the demo's day began. */
const DAY_BEGAN_MS = 24 * HOUR_MS
/** Fast enough for a first start, slow enough that a status still takes its seconds. */
const DAY_RATE = 120
const SLOT_MS = 20 * MINUTE_MS
const SLOTS = DAY_BEGAN_MS / SLOT_MS - 1
/** Real time for what a slot sets going. */
const SLOT_TAKES_MS = 45
const LAST_WORDS_MOST_MS = 4_000
const LOOK_EVERY_MS = 50
/** An answer of a customer brings about a question, and that another answer. */
const QUIET_LOOKS = 3

export const beginDemoDay = (clock: DayClock): void => clock.goBack(DAY_BEGAN_MS, DAY_RATE)

export type DemoDay = {
  parts: Pick<Parts, 'db' | 'seal' | 'wake' | 'live' | 'metrics'>
  clock: DayClock
  twin: Emulator
  workspaceId: string
  apiKey: string
  senderIds: readonly string[]
}

/**
 * Lives through the day before now: a shop's backend sends codes and asks for confirmations, and the twin's scripted
 * customers answer. Everything goes the usual way; only the clock runs faster.
 */
export async function liveDemoDay({ parts, clock, twin, workspaceId, apiKey, senderIds }: DemoDay): Promise<void> {
  const timed = { ...parts, clock }
  const shop = {
    sendCode: otpAccepting(timed),
    confirm: confirmationAccepting(timed),
    checkRefusal: refusalCheckAccepting(timed),
  }
  const caller = { workspaceId, apiKeyId: parseApiKey(apiKey)?.publicId ?? '', idempotencyKey: null }
  const began = clock.now()
  const asked: Asked[] = []
  for (const [slot, { codes, orders }] of visitsOf(began).entries()) {
    clock.skipTo(later(began, slot * SLOT_MS))
    for (const visit of codes) {
      await shop.sendCode({
        ...caller,
        ...codeFor(visit),
        senderId: pick(senderIds, visit.customer),
        correlationId: randomUUID(),
      })
    }
    for (const visit of orders) {
      const order = orderOf(visit)
      const request = { ...caller, ...order, senderId: pick(senderIds, 0), correlationId: randomUUID() }
      asked.push({ ...(await shop.confirm(request)), order, slot })
    }
    for (const earlier of asked) await goOn(earlier, slot)
    await wait(SLOT_TAKES_MS)
  }
  await settle()
  clock.letGo()

  /** The parcel comes hours later, and some who looked away answer late. */
  async function goOn({ confirmationId, order, slot: since }: Asked, slot: number): Promise<void> {
    const hours = ((slot - since) * SLOT_MS) / HOUR_MS
    if (order.answersLate && hours === LATE_ANSWER_HOURS) {
      await twin.inbound({ from: order.recipient, tap: { button: 0 } }).catch(() => undefined)
    }
    if (!order.isChecked || hours !== DELIVERED_HOURS) return
    const { recipient: _, reference, template: __, ...rest } = order
    const request = { ...caller, confirmationId, correlationId: randomUUID() }
    const template = { name: 'delivery_refusal', language: 'en' }
    await shop
      .checkRefusal({ ...request, template, parameters: { body: [rest.name, reference] } })
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error // of an order that was not confirmed there is nothing to check
      })
  }

  async function settle(): Promise<void> {
    const until = performance.now() + LAST_WORDS_MOST_MS
    for (let quietLooks = 0; quietLooks < QUIET_LOOKS && performance.now() < until; quietLooks += 1) {
      await Promise.race([twin.idle(), wait(LAST_WORDS_MOST_MS)])
      if (isBusy(await findDueOf(parts.db, workspaceId, clock.now()))) quietLooks = 0
      await wait(LOOK_EVERY_MS)
    }
  }
}

type Asked = { confirmationId: string; order: Order; slot: number }

const LATE_ANSWER_HOURS = 3
const DELIVERED_HOURS = 5

/** A customer's place among all of the day, and among those who come for the same. */
type Visit = { customer: number; nth: number }

/**
 * Who comes in each slot of the day that began then. What becomes of each follows from `nth` alone, so that each first
 * start shows the same kinds of things, at whatever hour it is.
 */
export function visitsOf(began: Date): { codes: Visit[]; orders: Visit[] }[] {
  let customer = 0
  const come = (count: number, before: number): Visit[] =>
    Array.from({ length: count }, (_, each) => ({ customer: customer++, nth: before + each }))
  let [codes, orders] = [0, 0]
  return Array.from({ length: SLOTS }, (_, slot) => {
    const hour = later(began, slot * SLOT_MS).getUTCHours()
    const visits = { codes: come(codesAt(hour), codes), orders: come(ordersAt(hour, slot), orders) }
    codes += visits.codes.length
    orders += visits.orders.length
    return visits
  })
}

/** Codes in each slot: few at night, most in the evening (UTC is near enough for a demo). */
const codesAt = (hour: number): number => (hour < 6 ? 1 : hour < 9 ? 2 : hour < 17 ? 3 : hour < 22 ? 4 : 2)

const ordersAt = (hour: number, slot: number): number =>
  hour < 7 || hour > 21 ? (slot % 3 === 0 ? 1 : 0) : 1 + (slot % 2)

/** The twin's table of magic numbers (emulator/magic-numbers.ts): most codes arrive and are read. */
const CODE_ENDINGS = [
  '2001',
  '2002',
  '2003',
  '0601',
  '2004',
  '2005',
  '2006',
  '1026',
  '2007',
  '0602',
  '2008',
  '2009',
  '0600',
  '2010',
  '2011',
  '0604',
  '2012',
  '2013',
  '0605',
  '2014',
  '1049',
  '2015',
  '2016',
  '0603',
  '2017',
] as const

/** And of customers (emulator/named-customers.ts). */
const ORDER_ENDINGS = [
  '0701',
  '0703',
  '0701',
  '0709',
  '0702',
  '0706',
  '0701',
  '0704',
  '0710',
  '0706',
  '0711',
  '0705',
  '0708',
  '0707',
  '0712',
  '1026',
] as const

const LATE_ENDING = '0706'
const CHECKED_ENDINGS: readonly string[] = ['0709', '0710', '0711', '0708']

const LANGUAGES_OF_CODES = ['ar', 'en_US', 'fr'] as const
const NAMES = ['Amina', 'Youssef', 'Fatima', 'Omar', 'Ayesha', 'Bilal', 'Layla', 'Karim'] as const
const NAMES_IN_ARABIC = ['أمينة', 'يوسف', 'فاطمة', 'عمر', 'عائشة', 'بلال', 'ليلى', 'كريم'] as const
const AMOUNTS = ['349 MAD', '1,250 EGP', '4,900 PKR', '189 SAR'] as const

function codeFor({ customer, nth }: Visit) {
  return {
    recipient: phoneOf(customer, pick(CODE_ENDINGS, nth)),
    template: { name: 'login_code', language: pick(LANGUAGES_OF_CODES, customer) },
    code: String(randomInt(100_000, 1_000_000)),
    reference: customer % 3 === 0 ? `login-${8_000 + customer}` : null,
  }
}

type Order = ReturnType<typeof orderOf>

export function orderOf({ customer, nth }: Visit) {
  const ending = pick(ORDER_ENDINGS, nth)
  const language = customer % 3 === 0 ? 'ar' : 'en'
  const name = pick(language === 'ar' ? NAMES_IN_ARABIC : NAMES, customer)
  const reference = `A-${5_000 + customer}`
  return {
    recipient: phoneOf(customer, ending),
    template: { name: 'order_confirmation', language },
    parameters: { body: [name, reference, pick(AMOUNTS, customer)] },
    reference,
    name,
    // The first ones never answer: their deadline is to pass within the day.
    answersLate: ending === LATE_ENDING && nth % (2 * ORDER_ENDINGS.length) >= ORDER_ENDINGS.length,
    isChecked: CHECKED_ENDINGS.includes(ending),
  }
}

/** Mobile numbers of Morocco, Egypt, Pakistan and Saudi Arabia; the last four digits say what happens. */
const PHONE_BEGINNINGS = ['+21266', '+20101', '+92300', '+96650'] as const
const MIDDLE_DIGITS = [3, 4, 3, 3] as const

function phoneOf(customer: number, ending: string): string {
  const country = customer % PHONE_BEGINNINGS.length
  const middle = String(101 + customer).padStart(pick(MIDDLE_DIGITS, country), '0')
  return `${pick(PHONE_BEGINNINGS, country)}${middle}${ending}`
}

const pick = <Each>(list: readonly Each[], at: number): Each => list[at % list.length] as Each
