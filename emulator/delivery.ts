import { type Noting, UNNOTED } from './changes.ts'
import { webhookError } from './errors.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { Account, Accounts, NumberOfAccount, PhoneNumber } from './accounts.ts'
import type { Behaviour, ScriptedError, StatusName, StatusStep } from './behaviour.ts'
import type { WebhookError } from './errors.ts'
import type { Message, MessageStatus, Messages } from './messages.ts'
import type { Phones } from './phones.ts'
import type { TimedStep } from './plans.ts'
import type { Timers } from './timers.ts'
import type { Contact, Metadata, StatusObject, Update } from './webhook-body.ts'
import type { Outbox, WebhookPost } from './webhooks.ts'

/** When the usual statuses come, since the message was taken, each drawn up to `jitter` (a share) around it. */
export type Schedule = { sentMs: number; deliveredMs: number; readMs: number; jitter: number }

export const USUAL_SCHEDULE: Schedule = { sentMs: 300, deliveredMs: 1_000, readMs: 4_000, jitter: 0.2 }

/** How much has happened since the twin was started. */
export type DeliveryCounts = { statuses: number; expired: number }

export type DeliveryParts = {
  accounts: Accounts
  timers: Timers
  outbox: Outbox
  phones: Phones
  schedule: Schedule
  /** In manual mode only statuses that a script lists come by themselves. */
  manual: boolean
  now: () => number
  changes?: Noting
}

/** What waits for a phone to come back. Without a step the message comes, and nobody is told. */
export type Held = { message: Message; step: TimedStep | undefined }

/** What becomes of a taken message: its statuses, by plan or by order. */
export class Delivery {
  readonly counts: DeliveryCounts = { statuses: 0, expired: 0 }
  readonly #parts: DeliveryParts
  readonly #changes: Noting
  /** By WhatsApp id. */
  readonly #held = new Map<string, Held[]>()
  readonly #listeners = new Set<(message: Message) => void>()
  readonly #changeListeners = new Set<(message: Message) => void>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#changes = parts.changes ?? UNNOTED
    parts.timers.handle('status', ({ message, step }, dueAt) => this.#takeStep(message, step, dueAt))
    parts.timers.handle('arrival', ({ message }, dueAt) => this.#takeStep(message, undefined, dueAt))
    parts.timers.handle('expiry', ({ message }) => this.#expire(message))
  }

  /** Sets the message's statuses going. */
  begin(message: Message): void {
    const { behaviour } = message
    const { timers, schedule, manual } = this.#parts
    const steps = plan(behaviour, schedule, manual)
    const ttlMs = message.expiresAt - message.acceptedAt
    const outOfReach = behaviour.offlineForMs !== undefined && behaviour.offlineForMs > ttlMs
    for (const step of outOfReach ? steps.filter((step) => !needsPhone(step.status)) : steps) {
      timers.after(step.afterMs, { kind: 'status', message, step })
    }
    if (outOfReach) timers.after(ttlMs, { kind: 'expiry', message })
    else this.#arriveUntold(message)
  }

  /** Posts all statuses of the plan now and waits for the answers. */
  async beginNow(row: NumberOfAccount, message: Message): Promise<void> {
    const steps = plan(message.behaviour, this.#parts.schedule, this.#parts.manual)
    await this.report(row, message, steps)
    this.#arriveUntold(message)
  }

  /** Posts these statuses one after the other, whatever plan, phone or pause say. */
  async report(row: NumberOfAccount, message: Message, steps: readonly StatusStep[]): Promise<WebhookPost[]> {
    const posts: WebhookPost[] = []
    for (const step of steps) {
      for (const update of this.#updates(row, message, step)) {
        const post = await this.#parts.outbox.sendNow(row.account, [update])
        if (post !== undefined) posts.push(post)
      }
      if (needsPhone(step.status)) this.#arrive(message)
    }
    return posts
  }

  /** A phone that was out of reach is back: what waited for it arrives, unless its time to live is over. */
  phoneBack(waId: string): void {
    const held = this.#held.get(waId)
    if (held === undefined) return
    this.#held.delete(waId)
    this.#changes.note('held', waId, undefined)
    const messages = new Set(held.map(({ message }) => message))
    this.#parts.timers.cancelPlans((plan) => plan.kind === 'expiry' && messages.has(plan.message))
    for (const { message, step } of held) this.#takeStep(message, step, this.#parts.now())
  }

  /** Called once for each message that comes to its phone. */
  onArrival(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called for each status, and for whatever else changes about a message. */
  onChange(listener: (message: Message) => void): () => void {
    this.#changeListeners.add(listener)
    return () => this.#changeListeners.delete(listener)
  }

  /** The customer looks at a message that has come. What a script says of its statuses goes before. */
  look(row: NumberOfAccount, message: Message): void {
    const { behaviour, arrivedAt, statuses } = message
    if (arrivedAt === undefined || !this.#tellsRead(message)) return
    if (scriptedSteps(behaviour, this.#parts.schedule) !== undefined) return
    for (const status of ['delivered', 'read'] as const) {
      const told = statuses.some((earlier) => earlier.status === status)
      if (!told && !behaviour.skip?.includes(status)) this.#emit(row, message, { status })
    }
  }

  clear(): void {
    for (const waId of this.#held.keys()) this.#changes.note('held', waId, undefined)
    this.#held.clear()
    this.#parts.timers.cancelPlans((plan) => plan.kind === 'expiry')
  }

  held(): Iterable<[string, Held[]]> {
    return this.#held
  }

  /** Messages by their ids. */
  restore(kept: [string, { message: string; step: TimedStep | undefined }[]][], messages: Messages): void {
    for (const [waId, held] of kept) {
      const found = held.flatMap(({ message: id, step }) => {
        const message = messages.find(id)
        return message === undefined ? [] : [{ message, step }]
      })
      this.#held.set(waId, found)
    }
  }

  #tellsRead({ waId }: Message): boolean {
    return waId === undefined || this.#parts.phones.get(waId).readReceipts
  }

  #changed(message: Message): void {
    this.#changes.note('messages', message.id, message)
    for (const listener of this.#changeListeners) listener(message)
  }

  #takeStep(message: Message, step: TimedStep | undefined, dueAt: number): void {
    const row = this.#parts.accounts.findNumber(message.phoneNumberId)
    if (row === undefined) return
    if (step !== undefined && !needsPhone(step.status)) {
      if (!message.expired) this.#emit(row, message, step)
      return
    }
    if (!this.#isInReach({ message, step }, dueAt)) return
    this.#arrive(message)
    if (step !== undefined && (step.status !== 'read' || this.#isReadNow(message))) this.#emit(row, message, step)
  }

  /** Not by whoever does not look, or has looked before of their own accord. */
  #isReadNow(message: Message): boolean {
    if (message.ignored || !this.#tellsRead(message)) return false
    if (scriptedSteps(message.behaviour, this.#parts.schedule) !== undefined) return true
    return !message.statuses.some(({ status }) => status === 'read')
  }

  /** In manual mode nobody says that the message has come, and the phone shows it all the same. */
  #arriveUntold(message: Message): void {
    const { manual, schedule, timers, now } = this.#parts
    if (!manual || scriptedSteps(message.behaviour, schedule) !== undefined) return
    if (message.behaviour.offlineForMs === undefined) this.#takeStep(message, undefined, now())
    else timers.after(message.behaviour.offlineForMs, { kind: 'arrival', message })
  }

  #arrive(message: Message): void {
    if (message.arrivedAt !== undefined) return
    message.arrivedAt = this.#parts.now()
    for (const listener of this.#listeners) listener(message)
    this.#changed(message)
  }

  /** Whether the message is, or may come, to the phone now. What the phone is off for is held. */
  #isInReach(held: Held, dueAt: number): boolean {
    const { message } = held
    if (message.expired || message.blocked) return false
    if (message.arrivedAt === undefined && this.#isBlocked(message)) {
      message.blocked = true
      this.#changed(message)
      return false
    }
    if (dueAt > message.expiresAt && message.arrivedAt === undefined) {
      this.#expire(message)
      return false
    }
    if (message.waId === undefined || this.#parts.phones.find(message.waId)?.online !== false) return true
    this.#hold(message.waId, held)
    return false
  }

  #isBlocked({ waId, phoneNumberId }: Message): boolean {
    return waId !== undefined && this.#parts.phones.get(waId).blocked.includes(phoneNumberId)
  }

  #hold(waId: string, held: Held): void {
    const { timers, now } = this.#parts
    const list = this.#held.get(waId) ?? []
    const isFirst = !list.some(({ message }) => message === held.message)
    list.push(held)
    if (list.length > TWIN_LIMITS.heldPerPhone) list.shift()
    this.#held.set(waId, list)
    this.#changes.note('held', waId, list)
    const { message } = held
    // Nobody waits for it: the phone may come back before, and only who looks at the phone sees the difference.
    if (isFirst && message.arrivedAt === undefined) {
      timers.afterUnscaled(Math.max(0, message.expiresAt - now()), { kind: 'expiry', message }, 'background')
    }
  }

  #expire(message: Message): void {
    const row = this.#parts.accounts.findNumber(message.phoneNumberId)
    if (row === undefined || !isUnderWay(message)) return
    message.expired = true
    this.counts.expired++
    this.#changed(message)
    const { whenExpired = 'silence' } = message.behaviour
    if (whenExpired !== 'silence') this.#emit(row, message, { status: 'failed', errors: [whenExpired] })
  }

  #emit({ account, number }: NumberOfAccount, message: Message, step: StatusStep): void {
    const { outbox } = this.#parts
    const updates = this.#updates({ account, number }, message, step)
    for (const update of updates) {
      // A repeated status is a repeated POST, not two items of one.
      if (updates.length > 1 && !outbox.paused) void outbox.sendNow(account, [update])
      else outbox.send(account, update)
    }
  }

  /** The same status object for every copy. */
  #updates({ account, number }: NumberOfAccount, message: Message, step: StatusStep): Update[] {
    const copies = step.copies ?? message.behaviour.copies ?? 1
    const status = statusObject(account, message, step, this.#parts.now())
    const update = {
      kind: 'status',
      metadata: metadataOf(number),
      status,
      contact: statusContact(account, message),
    } as const
    this.counts.statuses += copies
    return Array.from({ length: copies }, () => {
      const record: MessageStatus = {
        status: step.status,
        timestamp: status.timestamp,
        errors: status.errors,
        post: undefined,
      }
      if (message.statuses.length < TWIN_LIMITS.statusesKeptPerMessage) message.statuses.push(record)
      this.#changed(message)
      return { ...update, record }
    })
  }
}

/** It may still come to the phone. */
export function isUnderWay({ arrivedAt, expired, blocked }: Message): boolean {
  return arrivedAt === undefined && !expired && !blocked
}

export function metadataOf(number: PhoneNumber): Metadata {
  return { display_phone_number: number.digits, phone_number_id: number.id }
}

/** The statuses that the behaviour makes of the usual sent, delivered, read. */
export function plan(behaviour: Behaviour, schedule: Schedule, manual: boolean): TimedStep[] {
  const steps = scriptedSteps(behaviour, schedule) ?? (manual ? [] : usualSteps(behaviour, schedule))
  // By time, so that the order is the same when all delays are scaled to nothing.
  const kept = steps
    .filter((step) => !behaviour.skip?.includes(step.status))
    .toSorted((earlier, later) => earlier.afterMs - later.afterMs)
  return behaviour.reversed === true ? reversed(kept) : kept
}

function scriptedSteps(behaviour: Behaviour, schedule: Schedule): TimedStep[] | undefined {
  if (behaviour.statuses === 'none') return []
  if (behaviour.statuses !== undefined) {
    const delays: Record<StatusName, number> = usualDelays(schedule)
    return behaviour.statuses.map((step) => ({ ...step, afterMs: step.afterMs ?? delays[step.status] }))
  }
  if (behaviour.failed !== undefined)
    return [{ status: 'failed', afterMs: schedule.sentMs, errors: [behaviour.failed] }]
  const held = behaviour.messageStatus === 'held_for_quality_assessment' || behaviour.messageStatus === 'paused'
  return held ? [] : undefined
}

function usualSteps(behaviour: Behaviour, schedule: Schedule): TimedStep[] {
  const draw = () => 1 + schedule.jitter * (2 * Math.random() - 1)
  const sentMs = schedule.sentMs * draw()
  const arrivesMs = Math.max(sentMs, schedule.deliveredMs * draw(), behaviour.offlineForMs ?? 0)
  return [
    { status: 'sent', afterMs: sentMs },
    { status: 'delivered', afterMs: arrivesMs },
    { status: 'read', afterMs: arrivesMs + Math.max(0, schedule.readMs - schedule.deliveredMs) * draw() },
  ]
}

function usualDelays({ sentMs, deliveredMs, readMs }: Schedule): Record<StatusName, number> {
  return { sent: sentMs, delivered: deliveredMs, read: readMs, played: readMs, failed: deliveredMs }
}

/** The same instants with the statuses the other way round. */
function reversed(steps: TimedStep[]): TimedStep[] {
  const delays = steps.map((step) => step.afterMs)
  return steps.toReversed().map((step, at) => ({ ...step, afterMs: delays[at] ?? step.afterMs }))
}

export function needsPhone(status: StatusName): boolean {
  return status === 'delivered' || status === 'read' || status === 'played'
}

function statusObject(account: Account, message: Message, step: StatusStep, now: number): StatusObject {
  const { behaviour } = message
  const keeps = (field: NonNullable<Behaviour['omit']>[number]) =>
    behaviour.omit === undefined || !behaviour.omit.includes(field)
  const status: StatusObject = {
    id: message.id,
    status: step.status,
    timestamp: String(step.timestamp ?? Math.floor(now / 1000)),
  }
  if (message.waId !== undefined && !message.phoneHidden && keeps('recipient_id')) status.recipient_id = message.waId
  if (account.userIds && message.userId !== undefined && keeps('recipient_user_id'))
    status.recipient_user_id = message.userId
  if (message.callbackData !== undefined && keeps('biz_opaque_callback_data')) {
    status.biz_opaque_callback_data = message.callbackData
  }
  if (isPriced(message, step.status) && keeps('pricing')) status.pricing = message.pricing
  if (step.status === 'failed') status.errors = (step.errors ?? [131000]).map((error) => failure(error, message))
  if (behaviour.extraFields === true) status['unannounced_field'] = { since: 'tomorrow', values: [1, null, 'é'] }
  return status
}

/** Pricing comes with `sent` and with the first of delivered and read. */
function isPriced(message: Message, status: StatusName): boolean {
  if (status === 'sent') return true
  return needsPhone(status) && !message.statuses.some((earlier) => needsPhone(earlier.status))
}

export function failure(error: ScriptedError, message: Pick<Message, 'parameters'>): WebhookError {
  if (typeof error === 'number') return webhookError(error)
  return webhookError(error.code, scriptedDetails(error, message.parameters), error.title)
}

/** Meta may repeat the caller's own words in the details of an error. */
export function scriptedDetails(
  error: Exclude<ScriptedError, number>,
  parameters: readonly string[],
): string | undefined {
  if (error.echoParameters !== true) return error.details
  return `${error.details ?? 'A parameter was not accepted'}: ${parameters.map((value) => `"${value}"`).join(', ')}`
}

function statusContact(account: Account, message: Message): Contact | undefined {
  if (message.behaviour.statusContacts !== true || message.waId === undefined) return undefined
  const withUserId = account.userIds && message.userId !== undefined
  return { wa_id: message.waId, ...(withUserId ? { user_id: message.userId } : {}) }
}
