import {
  addAccount,
  addCustomer,
  addNumber,
  addScript,
  addTemplate,
  changeAccountSettings,
  changeNumber,
  changeTemplateById,
  getAccount,
  listConversations,
  removeCustomer,
  knowAccount,
  metricsOf,
  planReview,
  report,
  reset,
  setPhone,
  tellField,
} from './control-actions.ts'
import { addControl } from './control.ts'
import { playCustomers } from './customer-play.ts'
import { frontPage } from './front-page.ts'
import { messageRoutes } from './graph-messages.ts'
import { objectRoutes } from './graph-objects.ts'
import { templateRoutes } from './graph-templates.ts'
import { receive, receiveDelayed } from './inbound.ts'
import { keep, keepChange, restore } from './kept.ts'
import { TWIN_LIMITS } from './limits.ts'
import { Memory } from './memory.ts'
import { makeParts, whenIdle } from './parts.ts'
import { phonePage } from './phone-page.ts'
import { createTemplate, decideReviews } from './review.ts'
import { buildServer } from './server.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { readNewTemplate } from './template-rules.ts'
import { moveClock } from './time-machine.ts'
import type { Account, AccountSeed, NumberSeed, PhoneNumber } from './accounts.ts'
import type { ScriptSeed } from './behaviour.ts'
import type { AccountChange, NumberChange, PhoneChange, ReportedStatus, TemplateChange } from './control-actions.ts'
import type { Conversation, ConversationFilter } from './conversations.ts'
import type { CustomerMatch, StepSeed } from './customer-steps.ts'
import type { Customer } from './customers.ts'
import type { InboundRecord } from './inbox.ts'
import type { InboundSeed } from './inbound.ts'
import type { Message, MessageMatch } from './messages.ts'
import type { Parts, Settings } from './parts.ts'
import type { Moved } from './phone/due.ts'
import type { Phone } from './phones.ts'
import type { ReviewSeed } from './review-plan.ts'
import type { Script } from './scripts.ts'
import type { Template, TemplateSeed } from './templates.ts'
import type { MoveSeed } from './time-machine.ts'
import type { WebhookPost } from './webhooks.ts'

export { DEMO, demoAccount } from './demo.ts'
export { FolderUnusable } from './memory.ts'
export { NAMED_CUSTOMERS } from './named-customers.ts'
export { sign } from './webhooks.ts'
export type { Account, AccountSeed, NumberSeed, PhoneNumber } from './accounts.ts'
export type { BehaviourSeed, ScriptedError, ScriptSeed, StatusName } from './behaviour.ts'
export type { AccountChange, NumberChange, PhoneChange, ReportedStatus, TemplateChange } from './control-actions.ts'
export type { Conversation, ConversationFilter, Entry } from './conversations.ts'
export type { CustomerMatch, StepSeed } from './customer-steps.ts'
export type { Customer } from './customers.ts'
export type { InboundSeed } from './inbound.ts'
export type { InboundRecord } from './inbox.ts'
export type { NamedCustomer } from './named-customers.ts'
export type { Message, MessageFilter, MessageMatch, MessageStatus } from './messages.ts'
export type { Moved } from './phone/due.ts'
export type { ReviewSeed } from './review-plan.ts'
export type { Script } from './scripts.ts'
export type { Template, TemplateSeed } from './templates.ts'
export type { MoveSeed } from './time-machine.ts'
export type { WebhookPost } from './webhooks.ts'

export type EmulatorOptions = Settings & {
  /** 0, or nothing, takes any free port. */
  port?: number | undefined
  /** With a folder give them ids: one that is remembered gets its secrets and its callback URL, and all else stays. */
  accounts?: AccountSeed[] | undefined
  /** A folder in which the twin finds itself again. Without it, all of it ends with the process. */
  data?: string | undefined
  /** How large its file may be. */
  dataBytes?: number | undefined
  /** Told when what was in the folder cannot be taken up, or nothing can be written to it. */
  warn?: ((line: string) => void) | undefined
  /** Answers, but nothing happens by itself before `begin`, which makes the folder if it is missing. */
  waits?: boolean | undefined
}

/** The twin as seen by a program. The control API has the same verbs. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>

/** The twin never listens anywhere else: it holds tokens and shows one-time codes. */
const HOST = '127.0.0.1'

export async function startEmulator(options: EmulatorOptions = {}) {
  const { port = 0, accounts = [], data, dataBytes, warn = () => {}, waits = false, ...settings } = options
  const memory = data === undefined ? undefined : new Memory({ folder: data, bytesMost: dataBytes, warn })
  const { parts, server, url } = await listenWith(settings, { memory, accounts, port }).catch(
    async (fault: unknown) => {
      await memory?.close()
      throw fault
    },
  )
  const remember = (): void => memory?.begin({ all: () => keep(parts), some: (noted) => keepChange(parts, noted) })
  const begin = (): void => {
    remember()
    parts.timers.begin()
  }
  if (!waits) begin()
  else if (memory?.hasFolder === true) remember() // what it answers meanwhile it must know as well
  return {
    url,
    begin,
    ...noticed(programmatic(parts), memory),
    get metrics() {
      return metricsOf(parts)
    },
    /** Drops what is scheduled or on its way, unless there is a folder for it; nothing is left open. */
    async close(): Promise<void> {
      parts.live.close()
      await server.close()
      const written = memory?.close()
      parts.timers.close()
      parts.customers.clear()
      await Promise.all([written, parts.outbox.close()])
    },
  }
}

type Opening = { memory: Memory | undefined; accounts: readonly AccountSeed[]; port: number }

async function listenWith(settings: Settings, { memory, accounts, port }: Opening) {
  const parts = await openParts(settings, memory)
  for (const seed of accounts) knowAccount(parts, seed)
  const server = await buildTwin(parts)
  return { parts, server, url: await server.listen({ port, host: HOST }) }
}

/** With what the twin held when it was ended; or empty, when that cannot be taken up. */
async function openParts(settings: Settings, memory: Memory | undefined): Promise<Parts> {
  for (const found of (await memory?.read()) ?? []) {
    const parts = connectedParts(settings, memory)
    try {
      restore(parts, found.take())
      return parts
    } catch (fault) {
      await found.putAside(`it was not understood (${String(fault)})`)
    }
  }
  return connectedParts(settings, memory)
}

function connectedParts(settings: Settings, memory: Memory | undefined): Parts {
  const parts = makeParts(settings, memory)
  playCustomers(parts)
  decideReviews(parts)
  receiveDelayed(parts)
  parts.live.follow(parts)
  return parts
}

/** Whatever a program asks for may be a change, of which the program learns only when it is kept. */
function noticed<Verbs extends Record<string, (...given: never[]) => unknown>>(
  verbs: Verbs,
  memory: Memory | undefined,
): Verbs {
  if (memory === undefined) return verbs
  const entries = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...given: never[]) => {
      const answer = verb(...given)
      memory.changed()
      if (answer instanceof Promise) return whenKept(answer, memory)
      void memory.settle()
      return answer
    },
  ])
  return Object.fromEntries(entries) as Verbs
}

async function whenKept(answer: Promise<unknown>, memory: Memory): Promise<unknown> {
  try {
    return await answer
  } finally {
    await memory.settle()
  }
}

async function buildTwin(parts: Parts) {
  const server = buildServer()
  // What was answered is known: a business waits for what becomes of its message, and a person saw what was done.
  if (parts.memory !== undefined) server.addHook('onSend', async () => await parts.memory?.settle())
  frontPage(server)
  phonePage(server)
  await addControl(server, parts)
  messageRoutes(server, parts)
  objectRoutes(server, parts)
  templateRoutes(server, parts)
  subscriptionRoutes(server, parts)
  return server
}

function programmatic(parts: Parts) {
  return {
    addAccount: (seed: AccountSeed): Account => addAccount(parts, seed),
    getAccount: (accountId: string): Account => getAccount(parts, accountId),
    changeAccount: (accountId: string, change: AccountChange): Account =>
      changeAccountSettings(parts, accountId, change),
    addNumber: (accountId: string, seed: NumberSeed): PhoneNumber => addNumber(parts, accountId, seed),
    changeNumber: (idOrNumber: string, change: NumberChange): PhoneNumber => changeNumber(parts, idOrNumber, change),
    /** Approved unless the seed says otherwise, and without Meta's checks. */
    addTemplate: (accountId: string, seed: TemplateSeed): Template => addTemplate(parts, accountId, seed),
    /** As a POST to message_templates: with all checks and a review. */
    createTemplate: (accountId: string, body: unknown): Template =>
      createTemplate(parts, getAccount(parts, accountId), readNewTemplate(body)),
    /** Told by webhook. */
    changeTemplate: (templateId: string, change: TemplateChange): Template =>
      changeTemplateById(parts, templateId, change),
    planReview: (accountId: string, plan: ReviewSeed): void => planReview(parts, accountId, plan),

    script: (seed: ScriptSeed): Script & { remove: () => boolean } => {
      const script = addScript(parts, seed)
      return Object.assign(script, { remove: () => parts.scripts.remove(script.id) })
    },
    clearScripts: (): void => parts.scripts.clear(),
    /** Whoever is behind `to`, or anybody, plays a customer of the table or these steps. */
    customer: (match: CustomerMatch, plays: string | readonly StepSeed[]): Customer & { remove: () => boolean } => {
      const customer = addCustomer(parts, match, plays)
      return Object.assign(customer, { remove: () => removeCustomer(parts, customer.id) })
    },
    customers: (): Customer[] => parts.customers.list(),
    setPhone: (change: PhoneChange): Phone => setPhone(parts, change),

    messages: (match?: MessageMatch): Message[] => parts.messages.list(match),
    /** The first match that no earlier call was given, be it there already or still to come. */
    waitForMessage: (match: MessageMatch = {}, options: { timeoutMs?: number } = {}): Promise<Message> =>
      parts.messages.wait(match, options.timeoutMs ?? TWIN_LIMITS.waitForMessageMs),
    onMessage: (listener: (message: Message) => void): (() => void) => parts.messages.onMessage(listener),

    /** Posts these statuses now, in this order. Resolves when each was answered once. */
    report: (message: Message | string, statuses: readonly ReportedStatus[]): Promise<WebhookPost[]> =>
      report(parts, message, statuses),
    /** A customer writes, taps or chooses. Resolves when the webhook was answered once. */
    inbound: (seed: InboundSeed): Promise<{ id: string; posts: WebhookPost[] }> => receive(parts, seed),
    onInbound: (listener: (record: InboundRecord) => void): (() => void) => parts.inbox.onInbound(listener),
    inboundMessages: (): InboundRecord[] => parts.inbox.list(),
    /** What was said between business numbers and customers, in the order in which it happened. */
    conversations: (filter?: ConversationFilter): Conversation[] => listConversations(parts, filter),
    webhook: (accountId: string, field: string, value: unknown): Promise<WebhookPost | undefined> =>
      tellField(parts, accountId, field, value),
    webhookPosts: (): WebhookPost[] => parts.outbox.posts(),

    /** Forwards, by a span such as '23h' or to an instant. What falls due on the way happens, in its order, before it resolves. */
    moveClock: (move: MoveSeed, options?: { takesMs?: number }): Promise<Moved> => moveClock(parts, move, options),
    pauseStatuses: (): void => parts.outbox.pause(),
    resumeStatuses: (): void => parts.outbox.resume(),
    /** Resolves when nothing is scheduled, waiting to be posted or being posted, and no customer is about to answer. */
    idle: (): Promise<void> => whenIdle(parts),
    reset: (): void => reset(parts),
  }
}
