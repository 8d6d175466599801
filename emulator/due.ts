import { isUnderWay, needsPhone } from './delivery.ts'
import { TWIN_LIMITS } from './limits.ts'
import { digitsOf, waIdOf } from './phones.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Due, DueAnswer, DueKind, FirstDue, TwinTime } from './phone/due.ts'
import type { Plan } from './plans.ts'
import type { Planned } from './timers.ts'

/** Instants are whole milliseconds and delays are not: who moves the clock to this instant has moved it far enough. */
const ROUNDING_MS = 2

/** A customer's WhatsApp id, and the id of a business number. */
export type PairOfIds = { waId: string; numberId: string }

export function timeOf({ clock, settings }: Parts): TwinTime {
  const { timeMachineAt } = settings
  return { now: new Date(clock.now()).toISOString(), aheadMs: clock.aheadMs, movedAt: timeMachineAt?.() ?? null }
}

type Listed = Pick<DueAnswer, 'chat' | 'due'>

/** What happens by itself, in this chat and elsewhere; to the chat belongs the end of its service window. */
export function listDue(parts: Parts, pair: PairOfIds | undefined): Listed {
  const chat: Due[] = pair === undefined ? [] : windowOf(parts, pair)
  const first = new Map<DueKind, FirstDue>()
  for (const planned of parts.timers.plans()) {
    const due = dueOf(parts, planned)
    if (due === undefined) continue
    const ofKind = first.get(due.kind)
    if (pair !== undefined && isOfChat(due, pair)) chat.push(due)
    else if (ofKind === undefined) first.set(due.kind, { ...due, count: 1 })
    else ofKind.count++
  }
  chat.sort((one, other) => one.inMs - other.inMs)
  return { chat: chat.slice(0, TWIN_LIMITS.dueShown), due: [...first.values()] }
}

const isOfChat = ({ phone, number }: Due, { waId, numberId }: PairOfIds): boolean =>
  phone === `+${waId}` && (number === null || number === numberId)

function windowOf(parts: Parts, { waId, numberId }: PairOfIds): Due[] {
  const now = parts.now()
  const until = parts.windows.openUntil(numberId, waId, now)
  if (until === undefined) return []
  const at = new Date(until).toISOString()
  return [{ id: 'window', kind: 'window', what: '', at, inMs: until - now, phone: `+${waId}`, number: numberId }]
}

/** Undefined for what would change nothing, as things are. */
function dueOf(parts: Parts, { plan, order, inMs }: Planned): Due | undefined {
  const told = tellingOf(parts, plan)
  if (told === undefined) return undefined
  const left = Math.max(0, Math.ceil(inMs)) + ROUNDING_MS
  return { id: `plan-${order}`, ...told, at: new Date(parts.now() + left).toISOString(), inMs: left }
}

type Telling = { kind: DueKind; what: string; phone: string | null; number: string | null }

function tellingOf({ accounts, phones }: Parts, plan: Plan): Telling | undefined {
  const nowhere = { phone: null, number: null }
  switch (plan.kind) {
    case 'status': {
      const { message, step } = plan
      const phone = phones.find(message.waId)
      const waits = needsPhone(step.status) && phone?.online === false
      const staysUntold = message.ignored || phone?.readReceipts === false || wasRead(message)
      const changesNothing = message.expired || message.blocked || waits || (step.status === 'read' && staysUntold)
      return changesNothing ? undefined : { kind: plan.kind, what: step.status, ...placeOf(message) }
    }
    case 'arrival':
    case 'expiry':
      return isUnderWay(plan.message) ? { kind: plan.kind, what: '', ...placeOf(plan.message) } : undefined
    case 'answer':
      return { kind: plan.kind, what: plan.customer.id, ...placeOf(plan.message) }
    case 'inbound': {
      const digits = digitsOf(plan.inbound.from)
      return { kind: 'answer', what: '', ...nowhere, phone: digits === undefined ? null : `+${waIdOf(digits)}` }
    }
    case 'review': {
      const template = accounts.findTemplateById(plan.templateId)?.template
      return template && { kind: plan.kind, what: `${template.name} (${template.language})`, ...nowhere }
    }
    case 'webhook':
      return { kind: plan.kind, what: [...new Set(plan.sealed.post.tells)].join(', '), ...nowhere }
  }
}

/** By whoever looked at it before it would have been read by itself. */
const wasRead = ({ statuses }: Message): boolean => statuses.some(({ status }) => status === 'read')

const placeOf = ({ waId, phoneNumberId }: { waId: string | undefined; phoneNumberId: string }) => ({
  phone: waId === undefined ? null : `+${waId}`,
  number: phoneNumberId,
})
