import { z } from 'zod'
import {
  type Account,
  type AccountSeed,
  type NumberSeed,
  type PhoneNumber,
  accountChangeSchema,
  accountSeedSchema,
  numberChangeSchema,
  numberSeedSchema,
} from '../accounts/accounts.ts'
import { issueAccount } from '../accounts/issued.ts'
import { readNewTemplate } from '../accounts/template-rules.ts'
import {
  type ReviewSeed,
  type Template,
  type TemplateSeed,
  reviewSchema,
  templateChangeSchema,
  templateSeedSchema,
} from '../accounts/templates.ts'
import { ControlError, requireRoom } from '../errors.ts'
import { changeTemplate, createTemplate } from '../graph/review.ts'
import { type InboundSeed, receive } from '../inbound/inbound.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { type Conversation, type ConversationFilter, listConversations } from '../messages/conversations.ts'
import type { Message, MessageMatch } from '../messages/messages.ts'
import { type Phone, parseWaId } from '../messages/phones.ts'
import { type ScriptSeed, type StatusName, scriptSchema, statusSchema } from '../messages/script.ts'
import type { Script } from '../messages/scripts.ts'
import type { Parts } from '../parts.ts'
import type { Pair, WebhookPost, DueAnswer } from '../wire/chats.ts'
import { createTimeMachine, listDue } from './clock.ts'
import type { Live } from './live.ts'

const phoneChangeSchema = z.strictObject({
  number: z.string().min(1),
  /** A phone that is off gets nothing until it is on again. */
  online: z.boolean().optional(),
  name: z.string().max(EMULATOR_LIMITS.nameCharacters).optional(),
  /** Webhooks leave out the number of a person with a username. null removes it. */
  username: z.string().max(EMULATOR_LIMITS.nameCharacters).nullable().optional(),
  /** If false, the business does not learn what was read. */
  readReceipts: z.boolean().optional(),
  /** A business number, whose later messages never arrive. */
  block: z.string().min(1).optional(),
  unblock: z.string().min(1).optional(),
})

/** The customer's phone number; the business number, by id or display number. */
const pairSchema = z.strictObject({ phone: z.string().min(1), number: z.string().min(1) })

export type ReportedStatus = StatusName | z.input<typeof statusSchema>
export type AccountChange = z.input<typeof accountChangeSchema>
export type NumberChange = z.input<typeof numberChangeSchema>
export type TemplateChange = z.input<typeof templateChangeSchema>
export type PhoneChange = z.input<typeof phoneChangeSchema>
export type Control = ReturnType<typeof createControl>

/** What programs and the control API can do. Seeds are validated here for both. */
export function createControl(parts: Parts, live: Live) {
  const { accounts, delivery, inbox, messages, now, outbox, phones, scripts, timers } = parts

  const getAccount = (id: string): Account => {
    const account = accounts.find(id)
    if (account !== undefined) return account
    throw new ControlError(`there is no account ${id}; GET /control/accounts lists them`, 404)
  }
  /** Also cancels the planned actions of its customers. Returns false if the script does not exist. */
  const removeScript = (id: string): boolean => {
    timers.cancelPlans('answer', (answer) => (answer as { script: Script }).script.id === id)
    return scripts.remove(id)
  }

  return {
    ...createTimeMachine(parts, live),
    getAccount,

    addAccount: (seed: AccountSeed): Account => accounts.add(accountSeedSchema.parse(seed), now()),

    issueAccount: (id: string, input: object): Account => issueAccount(accounts, { ...input, id }, now()),

    /** A saved account takes only its access from the seed and keeps the rest. */
    addOrUpdateAccount: (input: AccountSeed): void => {
      const seed = accountSeedSchema.parse(input)
      const account = seed.id === undefined ? undefined : accounts.find(seed.id)
      if (account === undefined) accounts.add(seed, now())
      else accounts.changeAccess(account, seed)
    },

    changeAccount: (id: string, input: AccountChange): Account => {
      const account = getAccount(id)
      const { callbackUrl, subscribed, blockedBy, hurried } = accountChangeSchema.parse(input)
      if (callbackUrl !== undefined) Object.assign(account, { callbackUrl, subscribed: true })
      if (subscribed !== undefined) account.subscribed = subscribed
      if (hurried !== undefined) account.hurried = hurried
      if (blockedBy !== undefined) account.blockedBy = blockedBy ?? undefined
      accounts.changed(account)
      return account
    },

    addNumber: (accountId: string, seed: NumberSeed): PhoneNumber =>
      accounts.addNumber(getAccount(accountId), numberSeedSchema.parse(seed)),

    /** Meta sends a webhook for a change of the limit or of the throughput, and none for a change of status. */
    changeNumber: (name: string, input: NumberChange): PhoneNumber => {
      const { account, number } = accounts.getNumberByName(name)
      const change = defined(numberChangeSchema.parse(input))
      const upgraded = change.throughput === 'HIGH' && number.throughput !== 'HIGH'
      const limitChanged = change.messagingLimit !== undefined && change.messagingLimit !== number.messagingLimit
      Object.assign(number, change)
      accounts.changed(account)
      if (upgraded || limitChanged) {
        const value = {
          display_phone_number: number.digits,
          event: upgraded ? 'THROUGHPUT_UPGRADE' : 'ONBOARDING',
          max_daily_conversations_per_business: number.messagingLimit,
        }
        outbox.send(account, { kind: 'field', field: 'phone_number_quality_update', value })
      }
      return number
    },

    /** Removes all chats with a business number, and what is planned in them. */
    clearChats: (name: string): void => {
      const { id } = accounts.getNumberByName(name).number
      const isOfNumber = (data: unknown): boolean =>
        (data as { message?: { phoneNumberId: string } }).message?.phoneNumberId === id
      for (const kind of ['status', 'arrival', 'expiry', 'answer'] as const) timers.cancelPlans(kind, isOfNumber)
      delivery.clearNumber(id)
      messages.clearNumber(id)
      inbox.clearNumber(id)
      live.sendState()
    },

    /** Approved unless the seed says otherwise, and without Meta's checks. */
    addTemplate: (accountId: string, seed: TemplateSeed): Template =>
      accounts.addTemplate(getAccount(accountId), templateSeedSchema.parse(seed), now()),

    /** Like POST message_templates: with all checks and a review. */
    createTemplate: (accountId: string, body: unknown): Template =>
      createTemplate(parts, getAccount(accountId), readNewTemplate(body)),

    changeTemplate: (id: string, input: TemplateChange): Template => {
      const row = accounts.findTemplateById(id)
      if (row === undefined) throw new ControlError(`there is no template ${id}`, 404)
      changeTemplate(parts, row.account, row.template, templateChangeSchema.parse(input))
      return row.template
    },

    /** Plans for the next creations precede the plan for all. */
    planReview: (accountId: string, seed: ReviewSeed): void => {
      const account = getAccount(accountId)
      const plan = reviewSchema.parse(seed)
      const limit = 'plans for reviews at most; create templates first'
      requireRoom(account.reviews.length, EMULATOR_LIMITS.reviewsPlanned, limit)
      const counted = account.reviews.filter(({ times }) => times !== undefined)
      const planForAll = account.reviews.filter(({ times }) => times === undefined && plan.times !== undefined)
      account.reviews.splice(0, account.reviews.length, ...counted, plan, ...planForAll)
      accounts.changed(account)
    },

    script: (seed: ScriptSeed): Script & { remove: () => boolean } => {
      const script = scripts.add(scriptSchema.parse(seed))
      return Object.assign(script, { remove: () => removeScript(script.id) })
    },

    scripts: () => scripts.list(),
    removeScript,

    clearScripts: (): void => {
      timers.cancelPlans('answer')
      scripts.clear()
    },

    messages: (match?: MessageMatch): Message[] => messages.list(match),
    /** The first match, present or future, that no earlier call returned. */
    waitForMessage: (match: MessageMatch = {}, options: { timeoutMs?: number } = {}): Promise<Message> =>
      messages.wait(match, options.timeoutMs ?? EMULATOR_LIMITS.waitForMessageMs),
    onMessage: messages.onMessage,
    onInbound: inbox.onInbound,
    inboundMessages: () => inbox.list(),
    webhookPosts: () => outbox.posts(),
    pauseStatuses: (): void => outbox.pause(),
    resumeStatuses: (): void => outbox.resume(),

    conversations: ({ phone, number }: ConversationFilter = {}): Conversation[] => {
      const waId = phone === undefined ? undefined : parseWaId(phone, 'phone')
      const row = number === undefined ? undefined : accounts.getNumberByName(number, 'number')
      return listConversations(parts, waId, row?.number.id)
    },

    setPhone: (input: PhoneChange): Phone => {
      const { number, username, block, unblock, ...change } = phoneChangeSchema.parse(input)
      const waId = parseWaId(number, 'number')
      const [blockedId, unblockedId] = [block, unblock].map((name) => name && accounts.getNumberByName(name).number.id)
      const others = phones.get(waId).blocked.filter((id) => id !== blockedId && id !== unblockedId)
      const blocked = blockedId === undefined ? others : [...others, blockedId]
      const phone = phones.set(waId, {
        ...defined(change),
        blocked: blocked.slice(-EMULATOR_LIMITS.blockedPerPhone),
        ...(username === undefined ? {} : { username: username ?? undefined }),
      })
      live.sendPhone(waId)
      if (phone.online) delivery.phoneOnline(waId)
      return phone
    },

    /** The customer opens the chat: its messages are read, unless a script says otherwise. Returns their number. */
    openChat: (input: Pair): number => {
      const { phone, number } = pairSchema.parse(input)
      const waId = parseWaId(phone, 'phone')
      const row = accounts.getNumberByName(number)
      const [chat] = listConversations(parts, waId, row.number.id)
      const latest = (chat?.entries ?? []).slice(-EMULATOR_LIMITS.lookedAtOnce)
      for (const entry of latest) if (entry.by === 'business') delivery.markRead(row, entry.message)
      return latest.length
    },

    due: (pair: Pair | undefined): DueAnswer =>
      listDue(
        parts,
        pair && { waId: parseWaId(pair.phone, 'phone'), numberId: accounts.getNumberByName(pair.number).number.id },
      ),

    /** Posts these statuses now, in order. Resolves when each was answered once. */
    report: async (input: Message | string, statuses: readonly ReportedStatus[]): Promise<WebhookPost[]> => {
      const message = typeof input === 'string' ? messages.find(input) : input
      const row = message && accounts.findNumber(message.phoneNumberId)
      if (message === undefined || row === undefined)
        throw new ControlError('there is no such message on any phone', 404)
      const steps = statuses.map((status) => statusSchema.parse(typeof status === 'string' ? { status } : status))
      return await delivery.report(row, message, steps)
    },

    /** A customer writes, taps or chooses. Resolves when the webhook was answered once. */
    inbound: (seed: InboundSeed) => receive(parts, seed),

    webhook: async (accountId: string, field: string, value: unknown): Promise<WebhookPost | undefined> =>
      await outbox.sendNow(getAccount(accountId), { kind: 'field', field, value }),

    /** Removes everything except accounts, numbers and templates. */
    reset: (): void => {
      const { media, pairs, throughput, windows } = parts
      for (const part of [scripts, messages, inbox, media, phones, windows]) part.clear()
      for (const part of [pairs, throughput, delivery, timers, outbox]) part.clear()
      live.sendState()
    },

    metrics: () => ({
      sends: { ...parts.counts, byCode: { ...parts.counts.byCode } },
      webhooks: { ...outbox.counts, busy: outbox.busy, paused: outbox.paused },
      messagesKept: messages.list().length,
      scripts: scripts.size,
      pairsTracked: parts.pairs.keys,
      timersWaiting: timers.waiting,
    }),
  }
}

type DefinedMembers<Change> = { [Name in keyof Change]?: Exclude<Change[Name], undefined> }

const defined = <Change extends object>(change: Change): DefinedMembers<Change> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as DefinedMembers<Change>
