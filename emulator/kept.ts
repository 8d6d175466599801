import { keepAccount } from './accounts.ts'
import { keepMessage } from './messages.ts'
import { keepSealed, keepUpdate, restoreSealed } from './webhooks.ts'
import type { Noted, Section, Things } from './changes.ts'
import type { Customer } from './customers.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Plan } from './plans.ts'
import type { WebhookPost } from './webhooks.ts'

/**
 * What the twin holds, as plain data: accounts, chats, what customers set, and all that is still to happen. Limits of
 * pace and counts begin anew with each start, and what an open connection waits for ends with it.
 */
export type Kept = { head: Head; rows: Rows }
/** What has become of some things since; null for one that is no more. */
export type Change = { head: Head; rows: { [Name in Section]?: [key: string, row: Row<Name> | null][] } }

type Rows = { [Name in Section]: [key: string, row: Row<Name>][] }
type Row<Name extends Section> = Exclude<ReturnType<ReturnType<typeof writersOf>[Name]>, undefined>
type Head = ReturnType<typeof headOf>

/** For a JSON text made at once: it holds the twin's own objects. */
export function keep(parts: Parts): Kept {
  const writers = writersOf(parts)
  const rows = Object.entries(thingsOf(parts)).map(([name, things]) => [
    name,
    Array.from(things as Iterable<[string, never]>, ([key, thing]) => [key, writers[name as Section](thing)]).filter(
      ([, row]) => row !== undefined,
    ),
  ])
  return { head: headOf(parts), rows: Object.fromEntries(rows) as Rows }
}

/** As `keep`. What nothing is written for counts as gone, such as a plan of a message that is forgotten. */
export function keepChange(parts: Parts, noted: Noted): Change {
  const writers = writersOf(parts)
  const rows = Object.entries(noted).map(([name, things]) => [
    name,
    Array.from(things as Map<string, never>, ([key, thing]) => [
      key,
      thing === undefined ? null : (writers[name as Section](thing) ?? null),
    ]),
  ])
  return { head: headOf(parts), rows: Object.fromEntries(rows) as Change['rows'] }
}

/** Rows are written whole: changes that are in it already may be among these, as long as what followed them is too. */
export function withChanges(kept: Kept, changes: readonly Change[]): Kept {
  const sections = new Map(Object.entries(kept.rows).map(([name, rows]) => [name, new Map<string, unknown>(rows)]))
  for (const { rows } of changes) {
    for (const [name, changed] of Object.entries(rows)) {
      const section = sections.get(name)
      if (section === undefined) throw new Error(`nothing is known of ${name}`)
      for (const [key, row] of changed) {
        if (row === null) section.delete(key)
        else section.set(key, row)
      }
    }
  }
  const rows = [...sections].map(([name, section]) => [name, [...section]])
  return { head: changes.at(-1)?.head ?? kept.head, rows: Object.fromEntries(rows) as Rows }
}

/** Into parts that hold nothing yet and have not begun. What was due meanwhile comes first, in its order. */
export function restore(parts: Parts, { head, rows }: Kept): void {
  const { clock, accounts, messages, timers } = parts
  clock.move(head.aheadMs)
  accounts.restore(rows.accounts, head.nextIds.accounts)
  parts.scripts.restore(rows.scripts, head.nextIds.scripts)
  const customers = parts.customers.restore(rows, head.nextIds.customers)
  const posts = new Map(rows.posts)
  messages.restore(rows.messages, posts)
  parts.inbox.restore(rows.inbox, accounts)
  parts.conversations.restore(head.nextOrder)
  parts.phones.restore(rows)
  parts.windows.restore(rows.windows)
  parts.delivery.restore(rows.held, messages)
  parts.outbox.restore({ ...head, ...rows }, { accounts, messages, posts })
  const offMs = Math.max(0, clock.now() - head.savedAt)
  const planned = rows.plans.map(([, { dueAt, ...planned }]) => ({ ...planned, inMs: dueAt - head.elapsedMs }))
  const next = rows.performances.map(([, { afterMs, plan }]) => ({ inMs: afterMs, kind: 'usual' as const, plan }))
  for (const { plan, inMs, kind } of [...planned.toSorted((one, other) => one.inMs - other.inMs), ...next]) {
    const restored = restorePlan(plan, { messages, customers, posts })
    if (restored?.kind === 'webhook') parts.outbox.retryIn(inMs - offMs, restored.sealed)
    else if (restored !== undefined) timers.afterUnscaled(inMs - offMs, restored, kind)
  }
}

function headOf({ clock, accounts, scripts, customers, outbox, conversations }: Parts) {
  return {
    savedAt: clock.now(),
    /** By which plans are due, in this process. */
    elapsedMs: clock.elapsed(),
    aheadMs: clock.aheadMs,
    nextOrder: conversations.nextOrder,
    nextIds: {
      accounts: accounts.nextId,
      scripts: scripts.nextId,
      customers: customers.nextId,
      posts: outbox.nextId,
    },
    paused: outbox.paused,
  }
}

type AllThings = { [Name in Section]: Iterable<readonly [string, Things[Name]]> }

function thingsOf(parts: Parts): AllThings {
  const { accounts, scripts, customers, messages, inbox, phones, windows, delivery, outbox, timers } = parts
  const plans = [...timers.planned()]
  const performances = [...customers.performances()]
  const ahead = [...plans.map(([, { plan }]) => plan), ...performances.flatMap(([, { next }]) => next ?? [])]
  const busy = ahead.flatMap((plan) => (plan.kind === 'answer' ? [plan.customer] : []))
  return {
    accounts: accounts.list().map((account) => [account.id, account]),
    scripts: scripts.list().map((script) => [script.id, script]),
    customers: customers.known(busy).map((customer) => [customer.id, customer]),
    places: customers.places(),
    performances,
    posts: Array.from(postsOf(parts, ahead), (post) => [post.id, post]),
    listed: outbox.posts().map(({ id }) => [id, true]),
    waiting: outbox.waiting(),
    underWay: outbox.sealedUnderWay(),
    messages: messages.list().map((message) => [message.id, message]),
    inbox: inbox.letters(),
    phones: phones.changed(),
    userIds: phones.userIds(),
    windows: windows.all(),
    held: delivery.held(),
    plans,
  }
}

/** Those that are listed, those that messages point at, and those that are tried again. */
function postsOf({ outbox, messages }: Parts, ahead: readonly Plan[]): Set<WebhookPost> {
  const retried = ahead.flatMap((plan) => (plan.kind === 'webhook' ? [plan.sealed.post] : []))
  const told = messages.list().flatMap(({ statuses }) => statuses.flatMap(({ post }) => post ?? []))
  return new Set([...told, ...outbox.posts(), ...outbox.underWay(), ...retried])
}

/** What is written of each thing; of some that are no longer held nothing. */
function writersOf(parts: Parts) {
  const { messages, customers, timers } = parts
  return {
    accounts: keepAccount,
    scripts: asItIs<Things['scripts']>,
    customers: (customer: Things['customers']) => ({ ...customer, isListed: customers.isListed(customer) }),
    places: ({ customer, at }: Things['places']) => ({ customer: customer.id, at }),
    // When what is being done was answered; for all that is known, it was.
    performances: ({ next }: Things['performances']) => {
      const plan = next && keepPlan(parts, next)
      return plan && { afterMs: timers.scaled(next.actions[next.place]?.afterMs ?? 0), plan }
    },
    posts: asItIs<Things['posts']>,
    listed: asItIs<Things['listed']>,
    waiting: ({ lane, update }: Things['waiting']) => ({
      accountId: lane.account.id,
      url: lane.url,
      ...keepUpdate(update, messages),
    }),
    underWay: keepSealed,
    messages: (message: Message) => (messages.find(message.id) === message ? keepMessage(message) : undefined),
    inbox: ({ record, account, update }: Things['inbox']) => ({ record, accountId: account.id, update }),
    phones: asItIs<Things['phones']>,
    userIds: asItIs<Things['userIds']>,
    windows: asItIs<Things['windows']>,
    held: (held: Things['held']) =>
      held
        .filter(({ message }) => messages.find(message.id) === message)
        .map(({ message, step }) => ({ message: message.id, step })),
    plans: ({ plan: given, ...when }: Things['plans']) => {
      const plan = keepPlan(parts, given)
      return plan && { ...when, plan }
    },
  }
}

const asItIs = <Thing>(thing: Thing): Thing => thing

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
