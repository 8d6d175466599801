import { keepSealed, restoreSealed } from './webhooks.ts'
import type { Customer } from './customers.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Plan } from './plans.ts'
import type { Kind } from './timers.ts'
import type { WebhookPost } from './webhooks.ts'

/**
 * What the twin holds, as plain data: accounts, chats, what customers set, and all that is still to happen. Limits of
 * pace and counts begin anew with each start, and what an open connection waits for ends with it.
 */
export type Kept = ReturnType<typeof keep>

/** For a JSON text made at once: it holds the twin's own objects. */
export function keep(parts: Parts) {
  const { clock, accounts, scripts, customers, messages, inbox, conversations, phones, windows } = parts
  const plans = plansOf(parts)
  return {
    savedAt: clock.now(),
    aheadMs: clock.aheadMs,
    accounts: accounts.keep(),
    scripts: scripts.keep(),
    customers: customers.keep(plans.flatMap(({ plan }) => (plan.kind === 'answer' ? [plan.customer] : []))),
    posts: [...postsOf(parts, plans)],
    messages: messages.keep(),
    inbox: inbox.keep(),
    nextOrder: conversations.keep(),
    phones: phones.keep(),
    windows: windows.keep(),
    held: parts.delivery.keep(messages),
    outbox: parts.outbox.keep(messages),
    plans: plans.flatMap(({ plan, ...when }) => {
      const kept = keepPlan(parts, plan)
      return kept === undefined ? [] : [{ ...when, plan: kept }]
    }),
  }
}

/** Into parts that hold nothing yet and have not begun. What was due meanwhile comes first, in its order. */
export function restore(parts: Parts, kept: Kept): void {
  const { clock, accounts, messages, timers } = parts
  clock.move(kept.aheadMs)
  accounts.restore(kept.accounts)
  parts.scripts.restore(kept.scripts)
  const customers = parts.customers.restore(kept.customers)
  const posts = new Map(kept.posts.map((post) => [post.id, post]))
  messages.restore(kept.messages, posts)
  parts.inbox.restore(kept.inbox, accounts)
  parts.conversations.restore(kept.nextOrder)
  parts.phones.restore(kept.phones)
  parts.windows.restore(kept.windows)
  parts.delivery.restore(kept.held, messages)
  parts.outbox.restore(kept.outbox, { accounts, messages, posts })
  const offMs = Math.max(0, clock.now() - kept.savedAt)
  for (const { plan, inMs, kind } of kept.plans) {
    const restored = restorePlan(plan, { messages, customers, posts })
    if (restored?.kind === 'webhook') parts.outbox.retryIn(inMs - offMs, restored.sealed)
    else if (restored !== undefined) timers.afterUnscaled(inMs - offMs, restored, kind)
  }
}

type Plans = { inMs: number; kind: Kind; plan: Plan }[]

/** With what customers do once that is answered which they are doing: for all that is known, it was. */
function plansOf({ timers, customers }: Parts): Plans {
  const next = customers.goesOn().map((plan) => {
    const inMs = timers.scaled(plan.actions[plan.place]?.afterMs ?? 0)
    return { inMs, kind: 'usual' as const, plan }
  })
  return [...timers.plans().map(({ inMs, kind, plan }) => ({ inMs, kind, plan })), ...next]
}

/** Those that are listed, those that messages point at, and those that are tried again. */
function postsOf({ outbox, messages }: Parts, plans: Plans): Set<WebhookPost> {
  const retried = plans.flatMap(({ plan }) => (plan.kind === 'webhook' ? [plan.sealed.post] : []))
  const told = messages.list().flatMap(({ statuses }) => statuses.flatMap(({ post }) => post ?? []))
  return new Set([...told, ...outbox.posts(), ...outbox.underWay(), ...retried])
}

type KeptPlan = NonNullable<ReturnType<typeof keepPlan>>

/** Undefined for one of a message that is no longer kept: it ends with the process. */
function keepPlan({ messages }: Parts, plan: Plan) {
  switch (plan.kind) {
    case 'status':
    case 'arrival':
    case 'expiry':
      return messages.find(plan.message.id) === undefined ? undefined : { ...plan, message: plan.message.id }
    case 'answer':
      if (messages.find(plan.message.id) === undefined) return undefined
      return { ...plan, message: plan.message.id, customer: plan.customer.id }
    case 'webhook':
      return { kind: plan.kind, sealed: keepSealed(plan.sealed) }
    case 'inbound':
      return { kind: plan.kind, inbound: plan.inbound }
    case 'review':
      return plan
  }
}

type Known = {
  messages: { find: (id: string) => Message | undefined }
  customers: ReadonlyMap<string, Customer>
  posts: ReadonlyMap<string, WebhookPost>
}

function restorePlan(kept: KeptPlan, { messages, customers, posts }: Known): Plan | undefined {
  switch (kept.kind) {
    case 'status':
    case 'arrival':
    case 'expiry': {
      const message = messages.find(kept.message)
      return message && { ...kept, message }
    }
    case 'answer': {
      const [message, customer] = [messages.find(kept.message), customers.get(kept.customer)]
      return message && customer && { ...kept, message, customer }
    }
    case 'webhook': {
      const sealed = restoreSealed(kept.sealed, posts)
      return sealed && { kind: kept.kind, sealed }
    }
    case 'inbound':
    case 'review':
      return kept
  }
}
