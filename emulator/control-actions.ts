import { z } from 'zod'
import { accountSeedSchema, NUMBER_STATUSES, numberSeedSchema } from './accounts.ts'
import { scriptSchema, stepSchema } from './behaviour.ts'
import { ControlError } from './control-error.ts'
import { customerSchema } from './customer-steps.ts'
import { findNumber } from './inbound.ts'
import { TWIN_LIMITS } from './limits.ts'
import { digitsOf, waIdOf } from './phones.ts'
import { reviewSchema } from './review-plan.ts'
import { changeTemplate } from './review.ts'
import { CATEGORIES, TEMPLATE_STATUSES, templateSeedSchema } from './templates.ts'
import type { Account, AccountSeed, NumberOfAccount, NumberSeed, PhoneNumber } from './accounts.ts'
import type { ScriptSeed, StatusName } from './behaviour.ts'
import type { Conversation, ConversationFilter } from './conversations.ts'
import type { CustomerMatch, StepSeed } from './customer-steps.ts'
import type { Customer } from './customers.ts'
import type { PairOfIds } from './due.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Phone } from './phones.ts'
import type { ReviewSeed } from './review-plan.ts'
import type { Script } from './scripts.ts'
import type { Template, TemplateSeed } from './templates.ts'
import type { WebhookPost } from './webhooks.ts'

/** What the control API and the programmatic surface both order. Seeds are checked here, once, for both. */

export const accountChangeSchema = z.strictObject({
  callbackUrl: z.url({ protocol: /^https?$/ }).optional(),
  subscribed: z.boolean().optional(),
  /** null lifts the block. */
  blockedBy: z.int().nullable().optional(),
})

export const numberChangeSchema = z.strictObject({
  status: z.enum(NUMBER_STATUSES).optional(),
  throughput: z.enum(['STANDARD', 'HIGH', 'NOT_APPLICABLE']).optional(),
  qualityRating: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN', 'NA']).optional(),
  messagingLimit: z.string().optional(),
})

export const templateChangeSchema = z.strictObject({
  status: z.enum(TEMPLATE_STATUSES).optional(),
  category: z.enum(CATEGORIES).optional(),
  quality: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']).optional(),
  reason: z.string().optional(),
})

export const phoneChangeSchema = z.strictObject({
  number: z.string().min(1),
  /** A phone that is off gets nothing until it is on again. */
  online: z.boolean().optional(),
  name: z.string().max(TWIN_LIMITS.nameCharacters).optional(),
  /** Someone with a username: webhooks do not tell the number. null takes it away. */
  username: z.string().max(TWIN_LIMITS.nameCharacters).nullable().optional(),
  /** False: the business does not learn what was read. */
  readReceipts: z.boolean().optional(),
  /** A business number: what it sends from now on never comes. */
  block: z.string().min(1).optional(),
  unblock: z.string().min(1).optional(),
})

export const lookSchema = z.strictObject({
  /** The customer's phone number. */
  phone: z.string().min(1),
  /** The business number, by id or display number. */
  number: z.string().min(1),
})

export type ReportedStatus = StatusName | z.input<typeof stepSchema>
export type AccountChange = z.input<typeof accountChangeSchema>
export type NumberChange = z.input<typeof numberChangeSchema>
export type TemplateChange = z.input<typeof templateChangeSchema>
export type PhoneChange = z.input<typeof phoneChangeSchema>

/** Of one that is remembered only how it is called is taken over: what has become of it since stays. */
export function knowAccount(parts: Parts, given: AccountSeed): void {
  const seed = accountSeedSchema.parse(given)
  const account = seed.id === undefined ? undefined : parts.accounts.find(seed.id)
  if (account === undefined) parts.accounts.add(seed, parts.now())
  else parts.accounts.changeAccess(account, seed)
}

export function addAccount(parts: Parts, seed: AccountSeed): Account {
  return parts.accounts.add(accountSeedSchema.parse(seed), parts.now())
}

export function changeAccountSettings(parts: Parts, accountId: string, given: AccountChange): Account {
  const account = getAccount(parts, accountId)
  const change = accountChangeSchema.parse(given)
  if (change.callbackUrl !== undefined) {
    account.callbackUrl = change.callbackUrl
    account.subscribed = true
  }
  if (change.subscribed !== undefined) account.subscribed = change.subscribed
  if (change.blockedBy !== undefined) account.blockedBy = change.blockedBy ?? undefined
  parts.accounts.changed(account)
  return account
}

export function addNumber(parts: Parts, accountId: string, seed: NumberSeed): PhoneNumber {
  return parts.accounts.addNumber(getAccount(parts, accountId), numberSeedSchema.parse(seed))
}

/** A change of the limit or of the throughput is told as Meta tells it; a change of status is not. */
export function changeNumber(parts: Parts, name: string, given: NumberChange): PhoneNumber {
  const { account, number } = getNumber(parts, name)
  const change = numberChangeSchema.parse(given)
  const upgraded = change.throughput === 'HIGH' && number.throughput !== 'HIGH'
  const limitChanged = change.messagingLimit !== undefined && change.messagingLimit !== number.messagingLimit
  for (const [key, value] of Object.entries(change)) if (value !== undefined) Object.assign(number, { [key]: value })
  parts.accounts.changed(account)
  if (upgraded || limitChanged) {
    const value = {
      display_phone_number: number.digits,
      event: upgraded ? 'THROUGHPUT_UPGRADE' : 'ONBOARDING',
      max_daily_conversations_per_business: number.messagingLimit,
    }
    parts.outbox.send(account, { kind: 'field', field: 'phone_number_quality_update', value })
  }
  return number
}

export function addTemplate(parts: Parts, accountId: string, seed: TemplateSeed): Template {
  return parts.accounts.addTemplate(getAccount(parts, accountId), templateSeedSchema.parse(seed), parts.now())
}

export function changeTemplateById(parts: Parts, templateId: string, given: TemplateChange): Template {
  const row = parts.accounts.findTemplateById(templateId)
  if (row === undefined) throw new ControlError(`there is no template ${templateId}`, 404)
  changeTemplate(parts, row.account, row.template, templateChangeSchema.parse(given))
  return row.template
}

/** Plans for the next creations go before the standing one. */
export function planReview(parts: Parts, accountId: string, seed: ReviewSeed): void {
  const account = getAccount(parts, accountId)
  const plan = reviewSchema.parse(seed)
  if (account.reviews.length >= TWIN_LIMITS.reviewsPlanned) {
    throw new ControlError(
      `an account has ${TWIN_LIMITS.reviewsPlanned} plans for reviews at most; create templates first`,
    )
  }
  const counted = account.reviews.filter((review) => review.times !== undefined)
  const standing = account.reviews.filter((review) => review.times === undefined)
  const plans = plan.times === undefined ? [...counted, plan] : [...counted, plan, ...standing]
  account.reviews.splice(0, account.reviews.length, ...plans)
  parts.accounts.changed(account)
}

export function addScript(parts: Parts, seed: ScriptSeed): Script {
  const { match, behaviour } = scriptSchema.parse(seed)
  return parts.scripts.add(match, behaviour)
}

export function addCustomer(parts: Parts, match: CustomerMatch, plays: string | readonly StepSeed[]): Customer {
  const customer = customerSchema.parse({ match, plays })
  return parts.customers.add(customer.match, customer.plays)
}

/** With what it is about to do. False when it was gone before. */
export function removeCustomer(parts: Parts, id: string): boolean {
  parts.timers.cancelPlans((plan) => plan.kind === 'answer' && plan.customer.id === id)
  return parts.customers.remove(id)
}

export function clearCustomers(parts: Parts): void {
  parts.timers.cancelPlans((plan) => plan.kind === 'answer')
  parts.customers.clear()
}

/** Filters by what people call a phone and a business number. */
export function listConversations(parts: Parts, { phone, number }: ConversationFilter = {}): Conversation[] {
  if (phone !== undefined && digitsOf(phone) === undefined) throw new ControlError(`phone: ${phone} is no phone number`)
  const row = number === undefined ? undefined : findNumber(parts, number)
  if (number !== undefined && row === undefined) throw new ControlError(`number: there is no business number ${number}`)
  return parts.conversations.list({ phone, number: row?.number.id })
}

export function setPhone(parts: Parts, given: PhoneChange): Phone {
  const { number, online, name, username, readReceipts, block, unblock } = phoneChangeSchema.parse(given)
  const waId = waIdOfPhone(number, 'number')
  const phone = parts.phones.set(waId, {
    ...(readReceipts === undefined ? {} : { readReceipts }),
    ...(block === undefined && unblock === undefined ? {} : { blocked: blockedBy(parts, waId, { block, unblock }) }),
    ...(online === undefined ? {} : { online }),
    ...(name === undefined ? {} : { name }),
    ...(username === undefined ? {} : { username: username ?? undefined }),
  })
  parts.live.tellPhone(parts, waId)
  if (phone.online) parts.delivery.phoneBack(waId)
  return phone
}

function blockedBy(
  parts: Parts,
  waId: string,
  { block, unblock }: Pick<PhoneChange, 'block' | 'unblock'>,
): readonly string[] {
  const named = [block, unblock].map((name) => (name === undefined ? undefined : getNumber(parts, name).number.id))
  const others = parts.phones.get(waId).blocked.filter((id) => !named.includes(id))
  return [...others, ...(named[0] === undefined ? [] : [named[0]])].slice(-TWIN_LIMITS.blockedPerPhone)
}

/** By what people call a phone and a business number. */
export function pairOf(parts: Parts, { phone, number }: z.input<typeof lookSchema>): PairOfIds {
  return { waId: waIdOfPhone(phone, 'phone'), numberId: getNumber(parts, number).number.id }
}

/** The customer opens the chat: what has come is read, unless a script says otherwise. Says how much was looked at. */
export function look(parts: Parts, given: z.input<typeof lookSchema>): number {
  const { phone, number } = lookSchema.parse(given)
  const waId = waIdOfPhone(phone, 'phone')
  const row = getNumber(parts, number)
  const [chat] = parts.conversations.list({ phone: waId, number: row.number.id })
  const latest = (chat?.entries ?? []).slice(-TWIN_LIMITS.lookedAtOnce)
  for (const entry of latest) if (entry.by === 'business') parts.delivery.look(row, entry.message)
  return latest.length
}

function waIdOfPhone(number: string, path: string): string {
  const digits = digitsOf(number)
  if (digits === undefined) throw new ControlError(`${path}: ${number} is no phone number`)
  return waIdOf(digits)
}

function getNumber(parts: Parts, name: string): NumberOfAccount {
  const row = findNumber(parts, name)
  if (row === undefined) throw new ControlError(`there is no business number ${name}`, 404)
  return row
}

/** Posts these statuses now, one after the other. Resolves when the callback has answered each once. */
export async function report(
  parts: Parts,
  given: Message | string,
  statuses: readonly ReportedStatus[],
): Promise<WebhookPost[]> {
  const message = typeof given === 'string' ? parts.messages.find(given) : given
  const row = message === undefined ? undefined : parts.accounts.findNumber(message.phoneNumberId)
  if (message === undefined || row === undefined) throw new ControlError('there is no such message on any phone', 404)
  const steps = statuses.map((status) => stepSchema.parse(typeof status === 'string' ? { status } : status))
  return await parts.delivery.report(row, message, steps)
}

export async function tellField(
  parts: Parts,
  accountId: string,
  field: string,
  value: unknown,
): Promise<WebhookPost | undefined> {
  return await parts.outbox.sendNow(getAccount(parts, accountId), [{ kind: 'field', field, value }])
}

/** Forgets all that happened; accounts, numbers and templates stay. */
export function reset(parts: Parts): void {
  parts.scripts.clear()
  parts.customers.clear()
  parts.messages.clear()
  parts.inbox.clear()
  parts.phones.clear()
  parts.windows.clear()
  parts.pairs.clear()
  parts.throughput.clear()
  parts.managementCalls.clear()
  parts.delivery.clear()
  parts.timers.clear()
  parts.outbox.clear()
  parts.live.startAnew(parts)
}

export function metricsOf(parts: Parts) {
  return {
    sends: { ...parts.counts, byCode: { ...parts.counts.byCode } },
    webhooks: { ...parts.outbox.counts, busy: parts.outbox.busy, paused: parts.outbox.paused },
    messagesKept: parts.messages.count,
    scripts: parts.scripts.list().length,
    customers: parts.customers.list().length,
    pairsTracked: parts.pairs.keys,
    timersWaiting: parts.timers.waiting,
  }
}

export function getAccount(parts: Parts, accountId: string): Account {
  const account = parts.accounts.find(accountId)
  if (account === undefined)
    throw new ControlError(`there is no account ${accountId}; GET /control/accounts lists them`, 404)
  return account
}
