import { SavedMap, type Storage } from '../store/saved-map.ts'
import { type WebhookError, webhookError } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { Listeners } from '../listeners.ts'
import type { Account, Accounts, NumberOfAccount, PhoneNumber } from '../accounts/accounts.ts'
import type { Behaviour, ScriptedError, StatusName, StatusStep, TimedStep } from './script.ts'
import type { Message, MessageStatus, Messages } from './messages.ts'
import type { Phones } from './phones.ts'
import type { DueText, Timers } from '../time/timers.ts'
import type { Contact, Metadata, StatusObject, Update } from '../webhooks/webhook-body.ts'
import type { WebhookPost } from '../wire/chats.ts'
import type { Outbox } from '../webhooks/outbox.ts'

/** Delays of the default statuses since acceptance, each varied by up to the share `jitter`. */
export type Schedule = { sentMs: number; deliveredMs: number; readMs: number; jitter: number }

export const DEFAULT_SCHEDULE: Schedule = { sentMs: 300, deliveredMs: 1_000, readMs: 4_000, jitter: 0.2 }

type Options = {
  accounts: Accounts
  messages: Messages
  timers: Timers
  outbox: Outbox
  phones: Phones
  schedule: Schedule
  /** Only the statuses of a script are sent automatically. */
  manual: boolean
  now: () => number
  storage: Storage
}

type ErrorTexts = Exclude<ScriptedError, number>

/** What happens to a message at some time, or when its phone is online. Without a step it arrives without a status. */
type PlannedStep = { message: Message; step?: TimedStep | undefined }
type SavedStep = { message: string; step?: TimedStep | undefined }

/** Delivers accepted messages: their statuses, planned or on request. */
export class Delivery {
  /** Since the start. */
  readonly counts = { statuses: 0, expired: 0 }
  readonly #parts: Options
  /** Held steps by WhatsApp id. */
  readonly #held: SavedMap<PlannedStep[], SavedStep[]>
  readonly #arrivals = new Listeners<Message>()
  /** Called once for each message that arrives on its phone. */
  readonly onArrival = this.#arrivals.add

  constructor(parts: Options) {
    const { messages, storage, timers } = parts
    this.#parts = parts
    this.#held = new SavedMap('held', storage, {
      toRow: (held) => held.flatMap((step) => messages.toRow(step) ?? []),
      fromRow: (held) => held.flatMap((step) => messages.fromRow(step) ?? []),
    })
    for (const kind of ['status', 'arrival', 'expiry'] as const) {
      timers.define<PlannedStep, SavedStep>(kind, {
        run: (planned, dueAt) => (kind === 'expiry' ? this.#expire(planned.message) : this.#takeStep(planned, dueAt)),
        due: (planned) => this.#dueText(kind, planned),
        toRow: (planned) => messages.toRow(planned),
        fromRow: (row) => messages.fromRow(row),
      })
    }
  }

  /** Plans the message's statuses. */
  begin(message: Message): void {
    const { behaviour } = message
    const { accounts, timers, schedule, manual } = this.#parts
    const hurried = accounts.find(message.accountId)?.hurried === true
    const steps = planSteps(behaviour, schedule, manual)
    const ttlMs = message.expiresAt - message.acceptedAt
    const outOfReach = behaviour.offlineForMs !== undefined && behaviour.offlineForMs > ttlMs
    for (const step of outOfReach ? steps.filter((step) => !needsPhone(step.status)) : steps) {
      if (hurried) timers.after(0, { kind: 'status', data: { message, step: inThePast(message, step, steps) } })
      else timers.after(step.afterMs, { kind: 'status', data: { message, step } })
    }
    if (outOfReach) timers.after(ttlMs, { kind: 'expiry', data: { message } })
    else this.#arriveSilently(message)
  }

  /** Posts all statuses of the plan now and waits for the responses. */
  async beginNow(row: NumberOfAccount, message: Message): Promise<void> {
    const steps = planSteps(message.behaviour, this.#parts.schedule, this.#parts.manual)
    await this.report(row, message, steps)
    this.#arriveSilently(message)
  }

  /** Posts these statuses one by one, regardless of plan, phone or pause. */
  async report(row: NumberOfAccount, message: Message, steps: readonly StatusStep[]): Promise<WebhookPost[]> {
    const posts: WebhookPost[] = []
    for (const step of steps) {
      for (const update of this.#updates(row, message, step)) {
        const post = await this.#parts.outbox.sendNow(row.account, update)
        if (post !== undefined) posts.push(post)
      }
      if (needsPhone(step.status)) this.#arrive(message)
    }
    return posts
  }

  /** Messages that waited for the phone arrive, unless their time to live is over. */
  phoneOnline(waId: string): void {
    const held = this.#held.get(waId)
    if (held === undefined) return
    this.#held.delete(waId)
    const messages = new Set(held.map(({ message }) => message))
    this.#parts.timers.cancelPlans('expiry', (planned) => messages.has((planned as PlannedStep).message))
    for (const planned of held) this.#takeStep(planned, this.#parts.now())
  }

  /** The customer opens a message that has arrived. A script's statuses take precedence. */
  markRead(row: NumberOfAccount, message: Message): void {
    const { behaviour, arrivedAt, statuses } = message
    if (arrivedAt === undefined || !this.#parts.phones.get(message.waId).readReceipts) return
    if (scriptedSteps(behaviour, this.#parts.schedule) !== undefined) return
    for (const status of ['delivered', 'read'] as const) {
      const isReported = statuses.some((earlier) => earlier.status === status)
      if (!isReported && !behaviour.skip?.includes(status)) this.#emit(row, message, { status })
    }
  }

  /** Forgets what waits for phones of the number's customers. */
  clearNumber(phoneNumberId: string): void {
    for (const [waId, held] of this.#held) {
      const others = held.filter(({ message }) => message.phoneNumberId !== phoneNumberId)
      if (others.length === 0) this.#held.delete(waId)
      else if (others.length < held.length) this.#held.set(waId, others)
    }
  }

  clear(): void {
    this.#held.clear()
    this.#parts.timers.cancelPlans('expiry')
  }

  #dueText(kind: 'status' | 'arrival' | 'expiry', { message, step }: PlannedStep): DueText | undefined {
    const { waId, phoneNumberId: number } = message
    const chat = { phone: waId === undefined ? null : `+${waId}`, number }
    if (step === undefined) return isUnderWay(message) ? { kind, what: '', ...chat } : undefined
    const { status } = step
    const waits = needsPhone(status) && !this.#parts.phones.get(waId).online
    const sendsNoRead = status === 'read' && !this.#isReadNow(message)
    const changesNothing = message.expired || message.blocked || waits || sendsNoRead
    return changesNothing ? undefined : { kind, what: status, ...chat }
  }

  #takeStep(planned: PlannedStep, dueAt: number): void {
    const { message, step } = planned
    const row = this.#parts.accounts.findNumber(message.phoneNumberId)
    if (row === undefined) return
    if (step !== undefined && !needsPhone(step.status)) {
      if (!message.expired) this.#emit(row, message, step)
      return
    }
    if (!this.#isInReach(planned, dueAt)) return
    this.#arrive(message)
    if (step !== undefined && (step.status !== 'read' || this.#isReadNow(message))) this.#emit(row, message, step)
  }

  /** Does nothing if the customer ignores the message or has read it. */
  #isReadNow(message: Message): boolean {
    if (message.ignored || !this.#parts.phones.get(message.waId).readReceipts) return false
    if (scriptedSteps(message.behaviour, this.#parts.schedule) !== undefined) return true
    return !message.statuses.some(({ status }) => status === 'read')
  }

  /** In manual mode the phone shows the message, without a status. */
  #arriveSilently(message: Message): void {
    const { manual, schedule, timers, now } = this.#parts
    if (!manual || scriptedSteps(message.behaviour, schedule) !== undefined) return
    if (message.behaviour.offlineForMs === undefined) this.#takeStep({ message }, now())
    else timers.after(message.behaviour.offlineForMs, { kind: 'arrival', data: { message } })
  }

  #arrive(message: Message): void {
    if (message.arrivedAt !== undefined) return
    message.arrivedAt = this.#parts.now()
    this.#arrivals.emit(message)
    this.#parts.messages.changed(message)
  }

  /** Whether the message is, or may arrive, on the phone now. Holds it for a phone that is off. */
  #isInReach(planned: PlannedStep, dueAt: number): boolean {
    const { message } = planned
    if (message.expired || message.blocked) return false
    const phone = this.#parts.phones.get(message.waId)
    if (message.arrivedAt === undefined && phone.blocked.includes(message.phoneNumberId)) {
      message.blocked = true
      this.#parts.messages.changed(message)
      return false
    }
    if (dueAt > message.expiresAt && message.arrivedAt === undefined) {
      this.#expire(message)
      return false
    }
    if (message.waId === undefined || phone.online) return true
    this.#hold(message.waId, planned)
    return false
  }

  #hold(waId: string, planned: PlannedStep): void {
    const { timers, now } = this.#parts
    const { message } = planned
    const held = this.#held.get(waId) ?? []
    const isFirst = !held.some((other) => other.message === message)
    this.#held.set(waId, [...held, planned].slice(-EMULATOR_LIMITS.heldPerPhone))
    // idle() does not wait for it: the phone may come back earlier.
    if (isFirst && message.arrivedAt === undefined) {
      const inMs = Math.max(0, message.expiresAt - now())
      timers.afterUnscaled(inMs, { kind: 'expiry', data: { message } }, 'background')
    }
  }

  #expire(message: Message): void {
    const row = this.#parts.accounts.findNumber(message.phoneNumberId)
    if (row === undefined || !isUnderWay(message)) return
    message.expired = true
    this.counts.expired++
    this.#parts.messages.changed(message)
    const { whenExpired = 'silence' } = message.behaviour
    if (whenExpired !== 'silence') this.#emit(row, message, { status: 'failed', errors: [whenExpired] })
  }

  #emit(row: NumberOfAccount, message: Message, step: StatusStep): void {
    const { outbox } = this.#parts
    const updates = this.#updates(row, message, step)
    for (const update of updates) {
      // A repeated status is a repeated POST, not two items of one.
      if (updates.length > 1 && !outbox.paused) void outbox.sendNow(row.account, update)
      else outbox.send(row.account, update)
    }
  }

  /** The same status object for every copy. */
  #updates({ account, number }: NumberOfAccount, message: Message, step: StatusStep): Update[] {
    const copies = step.copies ?? message.behaviour.copies ?? 1
    const status = statusObject(account, message, step, this.#parts.now())
    const contact = statusContact(account, message)
    const update = { kind: 'status', metadata: metadataOf(number), status, contact } as const
    this.counts.statuses += copies
    return Array.from({ length: copies }, () => {
      const { timestamp, errors } = status
      const record: MessageStatus = { status: step.status, timestamp, errors, post: undefined }
      const isKept = message.statuses.length < EMULATOR_LIMITS.statusesKeptPerMessage
      const place = isKept ? message.statuses.push(record) - 1 : -1
      this.#parts.messages.changed(message)
      return { ...update, place }
    })
  }
}

/** The step as if the message had been accepted earlier, so that the last step comes now. */
const inThePast = ({ acceptedAt }: Message, step: TimedStep, all: readonly TimedStep[]): TimedStep => ({
  ...step,
  timestamp: step.timestamp ?? Math.floor((acceptedAt + step.afterMs - (all.at(-1)?.afterMs ?? 0)) / 1000),
})

/** It may still arrive. */
function isUnderWay({ arrivedAt, expired, blocked }: Message): boolean {
  return arrivedAt === undefined && !expired && !blocked
}

export function metadataOf(number: PhoneNumber): Metadata {
  return { display_phone_number: number.digits, phone_number_id: number.id }
}

/** The statuses of a message by its behaviour. */
function planSteps(behaviour: Behaviour, schedule: Schedule, manual: boolean): TimedStep[] {
  const steps = scriptedSteps(behaviour, schedule) ?? (manual ? [] : defaultSteps(behaviour, schedule))
  // Sorted by time, so that the order is the same when all delays are scaled to 0.
  const kept = steps
    .filter((step) => !behaviour.skip?.includes(step.status))
    .toSorted((earlier, later) => earlier.afterMs - later.afterMs)
  if (behaviour.reversed !== true) return kept
  // The same times with the statuses in reverse order.
  return kept.toReversed().map((step, at) => ({ ...step, afterMs: kept[at]?.afterMs ?? step.afterMs }))
}

function scriptedSteps(behaviour: Behaviour, schedule: Schedule): TimedStep[] | undefined {
  if (behaviour.statuses === 'none') return []
  if (behaviour.statuses !== undefined) {
    const { sentMs: sent, deliveredMs: delivered, readMs: read } = schedule
    const delays: Record<StatusName, number> = { sent, delivered, read, played: read, failed: delivered }
    return behaviour.statuses.map((step) => ({ ...step, afterMs: step.afterMs ?? delays[step.status] }))
  }
  if (behaviour.failed !== undefined)
    return [{ status: 'failed', afterMs: schedule.sentMs, errors: [behaviour.failed] }]
  const held = behaviour.messageStatus === 'held_for_quality_assessment' || behaviour.messageStatus === 'paused'
  return held ? [] : undefined
}

function defaultSteps(behaviour: Behaviour, schedule: Schedule): TimedStep[] {
  const draw = () => 1 + schedule.jitter * (2 * Math.random() - 1)
  const sentMs = schedule.sentMs * draw()
  const arrivesMs = Math.max(sentMs, schedule.deliveredMs * draw(), behaviour.offlineForMs ?? 0)
  return [
    { status: 'sent', afterMs: sentMs },
    { status: 'delivered', afterMs: arrivesMs },
    { status: 'read', afterMs: arrivesMs + Math.max(0, schedule.readMs - schedule.deliveredMs) * draw() },
  ]
}

function needsPhone(status: StatusName): boolean {
  return status === 'delivered' || status === 'read' || status === 'played'
}

function statusObject(account: Account, message: Message, step: StatusStep, now: number): StatusObject {
  const { behaviour } = message
  const fields = {
    recipient_id: message.phoneHidden ? undefined : message.waId,
    recipient_user_id: account.userIds ? message.userId : undefined,
    biz_opaque_callback_data: message.callbackData,
    pricing: isPriced(message, step.status) ? message.pricing : undefined,
  }
  const { errors = [131000] } = step
  return {
    id: message.id,
    status: step.status,
    timestamp: String(step.timestamp ?? Math.floor(now / 1000)),
    ...fields,
    ...Object.fromEntries((behaviour.omit ?? []).map((field) => [field, undefined])),
    errors: step.status === 'failed' ? errors.map((error) => failure(error, message.parameters)) : undefined,
    unannounced_field: behaviour.extraFields === true ? { since: 'tomorrow', values: [1, null, 'é'] } : undefined,
  }
}

/** Pricing comes with `sent` and with the first of delivered and read. */
function isPriced(message: Message, status: StatusName): boolean {
  if (status === 'sent') return true
  return needsPhone(status) && !message.statuses.some((earlier) => needsPhone(earlier.status))
}

function failure(scripted: ScriptedError, parameters: readonly string[]): WebhookError {
  const { code, details, title } = readScriptedError(scripted, parameters)
  return webhookError(code, details, title)
}

/** Meta may repeat the client's parameters in the details of an error. */
export function readScriptedError(scripted: ScriptedError, parameters: readonly string[]): ErrorTexts {
  const error: ErrorTexts = typeof scripted === 'number' ? { code: scripted } : scripted
  if (error.echoParameters !== true) return error
  const { details = 'A parameter was not accepted' } = error
  return { ...error, details: `${details}: ${parameters.map((value) => `"${value}"`).join(', ')}` }
}

function statusContact(account: Account, message: Message): Contact | undefined {
  if (message.behaviour.statusContacts !== true || message.waId === undefined) return undefined
  return { wa_id: message.waId, user_id: account.userIds ? message.userId : undefined }
}
