import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createConfirmationAcceptor } from '../../cod/accept.ts'
import { createRefusalCheckAcceptor } from '../../cod/accept-refusal.ts'
import { findStoredSettings } from '../../cod/settings/settings-store.ts'
import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Statement, statement } from '../../lib/db/pool.ts'
import { ApiError } from '../../lib/errors.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { createOtpAcceptor } from '../../otp/accept.ts'
import { createVerificationAcceptor } from '../../otp/verifications/accept.ts'
import { createChecker } from '../../otp/verifications/check.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type DueWork, WOKEN_BY_CLOCK, hasBusyWork, listDueWork } from '../due.ts'
import { getSandboxOffset, moveClock } from '../move-clock.ts'
import { type FillWork, endWork, renewWork } from '../work-lease.ts'
import { type Deed, type Order, planMonth } from './plan.ts'
import { type Shop, openShop } from './shop-account.ts'
import type { ShopLanguage } from './shop.ts'

/** After this, the loop takes the next sandbox, or ends with its process. */
const SLICE_MS = SECOND_MS
/** A step takes about 30 ms. One that takes this long, which is shorter than the lease, is made again later. */
const MAX_STEP_MS = 8 * SECOND_MS
const CHECK_EVERY_MS = 5
/** WhatsApp normally reports within a few seconds: requests are this much older, so that their statuses come as much later. */
const REPORTED_AFTER_MS = 6 * SECOND_MS
/** Messages that are older wait for nothing that comes soon. */
const RECENT_MS = 5 * MINUTE_MS

/**
 * Makes a demo month for some time: its requests, customers, timers and webhooks go through the same code as any others, while the
 * sandbox's clock goes from one deed of the plan, or one due item, to the next. Returns whether the month is over. Nothing is done
 * twice after an interruption: requests have their keys, and the time until which all is done moves with the clock.
 */
export async function fillMonth(parts: Parts, work: FillWork, stop?: AbortSignal): Promise<boolean> {
  const { db, clock } = parts
  const { workspaceId, fromAt, untilOffsetMs } = work
  const shop = await openShop(db, workspaceId)
  const timeZone = (await findStoredSettings(db, workspaceId))?.settings.timeZone ?? 'UTC'
  const deeds = planMonth({ from: fromAt, timeZone })
  const perform = createPerformer(parts, { workspaceId, deeds, shop })
  await shop.hurry(true)
  let { doneUntil } = work
  for (const endsAt = performance.now() + SLICE_MS; performance.now() < endsAt; ) {
    const offsetMs = await getSandboxOffset(db, workspaceId)
    const shown = later(clock.now(), offsetMs)
    await Promise.all(deeds.filter(({ at }) => at > doneUntil && at <= shown).map(perform))
    doneUntil = shown
    if (!(await settle(parts, workspaceId, stop))) return false
    const leftMs = untilOffsetMs - offsetMs
    if (leftMs <= 0) {
      await shop.hurry(false)
      await db.transaction((tx) => endWork(tx, work))
      parts.live.changed([workspaceId])
      return true
    }
    const next = deeds.find(({ at }) => at > shown)?.at
    const maxMs = Math.min(leftMs, next ? Math.max(1, next.getTime() - later(clock.now(), offsetMs).getTime()) : leftMs)
    await db.transaction(async (tx) => {
      await renewWork(tx, work, clock.now(), shown)
      await moveClock(tx, clock, { workspaceId, maxMs })
    })
    WOKEN_BY_CLOCK.forEach(parts.wake)
    parts.live.changed([workspaceId])
  }
  return false
}

/** Waits until no work of the workspace is due or running, and WhatsApp has reported on what it accepted. Returns false if `stop` aborts. */
async function settle({ db, clock }: Parts, workspaceId: string, stop?: AbortSignal): Promise<boolean> {
  let due: DueWork[] = []
  for (const endsAt = performance.now() + MAX_STEP_MS; performance.now() < endsAt; await wait(CHECK_EVERY_MS)) {
    if (stop?.aborted) return false
    const now = clock.now()
    due = await listDueWork(db, workspaceId, now)
    if (hasBusyWork(due)) continue
    const unsent = await db.row(findUnsent, [workspaceId, firstIdAt(later(now, -RECENT_MS))])
    if (unsent?.waits !== true) return true
  }
  throw new Error(`the work of a demo month was not done within ${MAX_STEP_MS} ms: ${JSON.stringify(due)}`)
}

const findUnsent: Statement<{ waits: boolean }> = statement(
  'has_message_without_status',
  `select exists (select from messages where workspace_id = $1 and id >= $2 and status in ('queued', 'sending')) as waits`,
)

type Performing = { workspaceId: string; deeds: readonly Deed[]; shop: Shop }

function createPerformer(parts: Parts, { workspaceId, deeds, shop }: Performing): (deed: Deed) => Promise<void> {
  const { clock } = parts
  const accepting = {
    ...parts,
    clock: { now: () => later(clock.now(), -REPORTED_AFTER_MS) },
    acceptedMessages: undefined,
  }
  const sendCode = createOtpAcceptor(accepting)
  const verify = createVerificationAcceptor(accepting)
  const confirm = createConfirmationAcceptor(accepting)
  const checkRefusal = createRefusalCheckAcceptor(accepting)
  const checkCode = createChecker(parts)
  const orders = new Map(deeds.flatMap((deed) => (deed.does === 'order' ? [[deed.key, deed] as const] : [])))
  const by = (key: string) => ({
    workspaceId,
    apiKeyId: shop.apiKeyId,
    idempotencyKey: `demo-month-${key}`,
    correlationId: randomUUID(),
  })

  return (deed) =>
    perform(deed).catch((error: unknown) => {
      // The shop's request is rejected, such as without quota, as it would be on any day.
      if (!(error instanceof ApiError) || error.code === 'SERVICE_UNAVAILABLE') throw error
    })

  async function perform(deed: Deed): Promise<void> {
    switch (deed.does) {
      case 'request_code': {
        const code = String(randomInt(100_000, 1_000_000))
        await sendCode({ ...codeRequest(deed), code })
        return
      }
      case 'request_verification':
        await requestVerification(deed.key, deed)
        return
      case 'type_code': {
        const { verificationId } = await requestVerification(deed.verification, deed)
        const code = await shop.codeOn(deed.phone)
        if (code) await checkCode({ workspaceId, verificationId, code: deed.isRight ? code : wrong(code) })
        return
      }
      case 'order':
        await requestOrder(deed)
        return
      case 'tap':
        await shop.act({ from: deed.phone, tap: { button: deed.button } })
        return
      case 'choose':
        await shop.act({ from: deed.phone, choose: { row: deed.row } })
        return
      case 'write':
        await shop.act({ from: deed.phone, text: deed.text })
        return
      case 'return_parcel': {
        const order = orders.get(deed.order)
        if (!order) return
        const { confirmationId } = await requestOrder(order)
        const template = shop.template('delivery_refusal', deed.language)
        const parameters = { body: [deed.name, deed.reference] }
        await checkRefusal({ ...by(deed.key), confirmationId, template, parameters })
      }
    }
  }

  function codeRequest({ key, phone, language }: { key: string; phone: string; language: ShopLanguage }) {
    const nth = numberOf(key)
    return {
      ...by(key),
      recipient: phone,
      senderId: shop.senderOf(nth).senderId,
      template: shop.template('login_code', language),
      reference: nth % 3 === 0 ? `login-${8_000 + nth}` : null,
    }
  }

  /** A repeated call returns the same verification. */
  function requestVerification(key: string, { phone, language }: { phone: string; language: ShopLanguage }) {
    return verify({ ...codeRequest({ key, phone, language }), length: 6, ttlSeconds: 600, maxAttempts: 5 })
  }

  /** A repeated call returns the same confirmation. */
  function requestOrder({ key, phone, language, name, goods, price, reference }: Order) {
    return confirm({
      ...by(key),
      recipient: phone,
      senderId: shop.senderOf(0).senderId,
      template: shop.template('order_confirmation', language),
      parameters: { body: [name, `${reference} (${goods})`, price] },
      reference,
    })
  }
}

/** The number in a key such as `code-17`. */
const numberOf = (key: string): number => Number(/\d+/.exec(key)?.[0] ?? 0)

const wrong = (code: string): string => (code.startsWith('9') ? `8${code.slice(1)}` : `9${code.slice(1)}`)
