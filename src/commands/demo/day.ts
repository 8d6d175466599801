import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Emulator } from '@doorcode/whatsapp-emulator'
import { createConfirmationAcceptor } from '../../cod/accept.ts'
import { createRefusalCheckAcceptor } from '../../cod/accept-refusal.ts'
import { HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'
import { ApiError } from '../../lib/errors.ts'
import { parseApiKey } from '../../lib/ids.ts'
import { createOtpAcceptor } from '../../otp/accept.ts'
import type { Parts } from '../../runtime/parts.ts'
import { listDueWork, hasBusyWork } from '../../sandbox/due.ts'
import type { DayClock } from './day-clock.ts'

const DAY_LENGTH_MS = 24 * HOUR_MS
/** Fast enough for a first start, slow enough that statuses still arrive seconds apart. */
const DAY_RATE = 120
const SLOT_MS = 20 * MINUTE_MS
const SLOTS = DAY_LENGTH_MS / SLOT_MS - 1
/** Real time for the work of a slot. */
const SLOT_WAIT_MS = 45
/** A slow machine gets longer: an order whose question is sent hours late would not reach its deadline within the day. */
const MAX_SLOT_WAITS = 40
const MAX_SETTLE_MS = 20_000
const MAX_CATCH_UP_MS = 5_000
const IDLE_CHECK_EVERY_MS = 50
/** More than one, because a customer's answer triggers a question, which triggers another answer. */
const IDLE_CHECKS = 3

export const startDemoDay = (clock: DayClock): void => clock.goBack(DAY_LENGTH_MS, DAY_RATE)

type DemoDay = {
  parts: Pick<Parts, 'db' | 'seal' | 'wake' | 'live' | 'metrics'>
  clock: DayClock
  emulator: Emulator
  workspaceId: string
  apiKey: string
  senderIds: readonly string[]
  /** Ends the simulation with an error. */
  signal: AbortSignal
}

/**
 * Simulates the day before now: a shop's backend sends codes and asks for confirmations, and the emulator's scripted
 * customers answer. Only the clock differs from a real day.
 */
export async function simulateDemoDay(day: DemoDay): Promise<void> {
  const { parts, clock, emulator, workspaceId, apiKey, senderIds, signal } = day
  const sendCode = createOtpAcceptor({ ...parts, clock })
  const confirm = createConfirmationAcceptor({ ...parts, clock })
  const checkRefusal = createRefusalCheckAcceptor({ ...parts, clock })
  const newCall = () => ({
    workspaceId,
    apiKeyId: parseApiKey(apiKey)?.publicId ?? '',
    idempotencyKey: null,
    correlationId: randomUUID(),
  })
  const startedAt = clock.now()
  const requests: DemoRequest[] = []
  for (const [slot, { codes, orders }] of planVisits(startedAt).entries()) {
    signal.throwIfAborted()
    const slotStart = later(startedAt, slot * SLOT_MS)
    clock.skipTo(slotStart)
    for (const visit of codes)
      await sendCode({ ...newCall(), ...codeFor(visit), senderId: pick(senderIds, visit.customer) })
    for (const order of orders.map(orderOf)) {
      const accepted = await confirm({ ...newCall(), ...order, senderId: pick(senderIds, 0) })
      requests.push({ ...accepted, order, slot })
    }
    for (const request of requests) await followUp(request, slot)
    for (let waits = 0; waits === 0 || (waits < MAX_SLOT_WAITS && (await hasWorkDueAt(slotStart))); waits += 1)
      await wait(SLOT_WAIT_MS)
  }
  await settle()
  clock.returnToRealTime()
  await catchUp()

  /** Some customers answer hours later, and some parcels come back. */
  async function followUp({ confirmationId, order, slot: since }: DemoRequest, slot: number): Promise<void> {
    const hours = ((slot - since) * SLOT_MS) / HOUR_MS
    if (order.answersLate && hours === LATE_ANSWER_HOURS) {
      await emulator.inbound({ from: order.recipient, tap: { button: 0 } }).catch(() => undefined)
    }
    if (!order.isChecked || hours !== DELIVERED_HOURS) return
    const template = { name: 'delivery_refusal', language: 'en' }
    const parameters = { body: [order.name, order.reference] }
    await checkRefusal({ ...newCall(), confirmationId, template, parameters }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error // an order that is not eligible for a check
    })
  }

  async function hasWorkDueAt(time: Date): Promise<boolean> {
    return hasBusyWork(await listDueWork(parts.db, workspaceId, time))
  }

  async function settle(): Promise<void> {
    const deadline = performance.now() + MAX_SETTLE_MS
    for (let idleChecks = 0; idleChecks < IDLE_CHECKS && performance.now() < deadline; idleChecks += 1) {
      await Promise.race([emulator.idle(), wait(MAX_SETTLE_MS, undefined, { signal })])
      if (await hasWorkDueAt(clock.now())) idleChecks = 0
      await wait(IDLE_CHECK_EVERY_MS)
    }
  }

  /** What fell due between the end of the simulated day and now, such as a reminder, would look late until it is done. */
  async function catchUp(): Promise<void> {
    parts.wake('sync')
    const deadline = performance.now() + MAX_CATCH_UP_MS
    while (performance.now() < deadline && (await hasWorkDueAt(clock.now()))) await wait(IDLE_CHECK_EVERY_MS)
  }
}

type DemoRequest = { confirmationId: string; order: Order; slot: number }

const LATE_ANSWER_HOURS = 3
const DELIVERED_HOURS = 5

/** `customer` counts all visits of the day, `nth` those for the same purpose. */
type Visit = { customer: number; nth: number }

/**
 * The visits in each slot. The outcome of each depends on `nth` only, so every first start shows the same kinds of
 * outcomes, whatever the hour.
 */
export function planVisits(startedAt: Date): { codes: Visit[]; orders: Visit[] }[] {
  let customer = 0
  const addVisits = (count: number, before: number): Visit[] =>
    Array.from({ length: count }, (_, each) => ({ customer: customer++, nth: before + each }))
  let [codes, orders] = [0, 0]
  return Array.from({ length: SLOTS }, (_, slot) => {
    const hour = later(startedAt, slot * SLOT_MS).getUTCHours()
    const visits = { codes: addVisits(codesAt(hour), codes), orders: addVisits(ordersAt(hour, slot), orders) }
    codes += visits.codes.length
    orders += visits.orders.length
    return visits
  })
}

/** Per slot: few at night, most in the evening. UTC is close enough to the customers' time. */
const codesAt = (hour: number): number => (hour < 6 ? 1 : hour < 9 ? 2 : hour < 17 ? 3 : hour < 22 ? 4 : 2)

const ordersAt = (hour: number, slot: number): number =>
  hour < 7 || hour > 21 ? (slot % 3 === 0 ? 1 : 0) : 1 + (slot % 2)

/** Last digits from presets.ts in the emulator: most codes are delivered and read. */
const CODE_ENDINGS = (
  '2001 2002 2003 0601 2004 2005 2006 1026 2007 0602 2008 2009 0600 ' +
  '2010 2011 0604 2012 2013 0605 2014 1049 2015 2016 0603 2017'
).split(' ')

/** Last digits from presets.ts in the emulator. */
const ORDER_ENDINGS = '0701 0703 0701 0709 0702 0706 0701 0704 0710 0706 0711 0705 0708 0707 0712 1026'.split(' ')

const LATE_ENDING = '0706'
const CHECKED_ENDINGS: readonly string[] = ['0709', '0710', '0711', '0708']

const CODE_LANGUAGES = ['ar', 'en_US', 'fr'] as const
const NAMES = ['Amina', 'Youssef', 'Fatima', 'Omar', 'Ayesha', 'Bilal', 'Layla', 'Karim'] as const
const ARABIC_NAMES = ['أمينة', 'يوسف', 'فاطمة', 'عمر', 'عائشة', 'بلال', 'ليلى', 'كريم'] as const
const AMOUNTS = ['349 MAD', '1,250 EGP', '4,900 PKR', '189 SAR'] as const

function codeFor({ customer, nth }: Visit) {
  return {
    recipient: phoneOf(customer, pick(CODE_ENDINGS, nth)),
    template: { name: 'login_code', language: pick(CODE_LANGUAGES, customer) },
    code: String(randomInt(100_000, 1_000_000)),
    reference: customer % 3 === 0 ? `login-${8_000 + customer}` : null,
  }
}

type Order = ReturnType<typeof orderOf>

export function orderOf({ customer, nth }: Visit) {
  const ending = pick(ORDER_ENDINGS, nth)
  const language = customer % 3 === 0 ? 'ar' : 'en'
  const name = pick(language === 'ar' ? ARABIC_NAMES : NAMES, customer)
  const reference = `A-${5_000 + customer}`
  return {
    recipient: phoneOf(customer, ending),
    template: { name: 'order_confirmation', language },
    parameters: { body: [name, reference, pick(AMOUNTS, customer)] },
    reference,
    name,
    // Customers of the first half never answer, so that their deadlines pass within the day.
    answersLate: ending === LATE_ENDING && nth % (2 * ORDER_ENDINGS.length) >= ORDER_ENDINGS.length,
    isChecked: CHECKED_ENDINGS.includes(ending),
  }
}

/** Mobile numbers of Morocco, Egypt, Pakistan and Saudi Arabia; the last four digits decide the outcome. */
const PHONE_PREFIXES = ['+21266', '+20101', '+92300', '+96650'] as const
const MIDDLE_DIGITS = [3, 4, 3, 3] as const

function phoneOf(customer: number, ending: string): string {
  const country = customer % PHONE_PREFIXES.length
  const middle = String(101 + customer).padStart(pick(MIDDLE_DIGITS, country), '0')
  return `${pick(PHONE_PREFIXES, country)}${middle}${ending}`
}

const pick = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item
