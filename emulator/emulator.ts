import { accountSeedSchema, numberSeedSchema } from './accounts.ts'
import { scriptSchema, stepSchema } from './behaviour.ts'
import { messageRoutes } from './graph-messages.ts'
import { objectRoutes } from './graph-objects.ts'
import { TWIN_LIMITS } from './limits.ts'
import { makeParts, whenIdle } from './parts.ts'
import { buildServer } from './server.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { templateSeedSchema } from './templates.ts'
import type { Account, AccountSeed, NumberSeed, PhoneNumber } from './accounts.ts'
import type { ScriptSeed, StatusName } from './behaviour.ts'
import type { Message, MessageMatch } from './messages.ts'
import type { Parts, Settings } from './parts.ts'
import type { Script } from './scripts.ts'
import type { Template, TemplateSeed } from './templates.ts'
import type { WebhookPost } from './webhooks.ts'
import type { z } from 'zod'

export { DEMO, demoAccount } from './demo.ts'
export { sign } from './webhooks.ts'
export type { Account, AccountSeed, NumberSeed, PhoneNumber } from './accounts.ts'
export type { BehaviourSeed, ScriptedError, ScriptSeed, StatusName } from './behaviour.ts'
export type { Message, MessageFilter, MessageMatch, MessageStatus } from './messages.ts'
export type { ReviewSeed } from './review-plan.ts'
export type { Template, TemplateSeed } from './templates.ts'
export type { WebhookPost } from './webhooks.ts'

export type EmulatorOptions = Settings & {
  /** 0 takes any free port. */
  port?: number | undefined
  accounts?: AccountSeed[] | undefined
}

export type ReportedStatus = StatusName | z.input<typeof stepSchema>

export type Emulator = Awaited<ReturnType<typeof startEmulator>>

/** The twin never listens anywhere else: it holds tokens and shows one-time codes. */
const HOST = '127.0.0.1'

export async function startEmulator(options: EmulatorOptions = {}) {
  const { port = 0, accounts = [], ...settings } = options
  const parts = makeParts(settings)
  for (const seed of accounts) addAccount(parts, seed)
  const server = buildServer()
  messageRoutes(server, parts)
  objectRoutes(server, parts)
  subscriptionRoutes(server, parts)
  const url = await server.listen({ port, host: HOST })
  return {
    url,
    addAccount: (seed: AccountSeed): Account => addAccount(parts, seed),
    addNumber: (accountId: string, seed: NumberSeed): PhoneNumber =>
      parts.accounts.addNumber(getAccount(parts, accountId), numberSeedSchema.parse(seed)),
    addTemplate: (accountId: string, seed: TemplateSeed): Template =>
      parts.accounts.addTemplate(getAccount(parts, accountId), templateSeedSchema.parse(seed), parts.now()),

    script: (seed: ScriptSeed): Script & { remove: () => boolean } => {
      const { match, behaviour } = scriptSchema.parse(seed)
      const script = parts.scripts.add(match, behaviour)
      return Object.assign(script, { remove: () => parts.scripts.remove(script.id) })
    },
    clearScripts: (): void => parts.scripts.clear(),

    messages: (match?: MessageMatch): Message[] => parts.messages.list(match),
    waitForMessage: (match: MessageMatch = {}, options: { timeoutMs?: number } = {}): Promise<Message> =>
      parts.messages.wait(match, options.timeoutMs ?? TWIN_LIMITS.waitForMessageMs),
    onMessage: (listener: (message: Message) => void): (() => void) => parts.messages.onMessage(listener),

    report: (message: Message | string, statuses: ReportedStatus[]): Promise<WebhookPost[]> =>
      report(parts, message, statuses),
    webhook: (accountId: string, field: string, value: unknown): Promise<WebhookPost | undefined> =>
      parts.outbox.sendNow(getAccount(parts, accountId), [{ kind: 'field', field, value }]),

    pauseStatuses: (): void => parts.outbox.pause(),
    resumeStatuses: (): void => parts.outbox.resume(),
    idle: (): Promise<void> => whenIdle(parts),

    async close(): Promise<void> {
      parts.timers.close()
      await parts.outbox.close()
      await server.close()
    },
  }
}

function addAccount(parts: Parts, seed: AccountSeed): Account {
  return parts.accounts.add(accountSeedSchema.parse(seed), parts.now())
}

function getAccount(parts: Parts, accountId: string): Account {
  const account = parts.accounts.find(accountId)
  if (account === undefined) throw new Error(`there is no account ${accountId}; add it first`)
  return account
}

function report(parts: Parts, given: Message | string, statuses: ReportedStatus[]): Promise<WebhookPost[]> {
  const message = typeof given === 'string' ? parts.messages.find(given) : given
  const row = message === undefined ? undefined : parts.accounts.findNumber(message.phoneNumberId)
  if (message === undefined || row === undefined) throw new Error('there is no such message on any phone')
  const steps = statuses.map((status) => stepSchema.parse(typeof status === 'string' ? { status } : status))
  return parts.delivery.report(row, message, steps)
}
