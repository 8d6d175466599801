import type { CodedText } from '../../../locales/text.ts'
import { later, notBefore } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import { type NewEvent, recordEvents } from '../../events/record.ts'
import { newId } from '../../lib/ids.ts'
import type { Check } from '../../messages/conversation.ts'
import { type NewMessage, enqueueMessages } from '../../messages/queue/enqueue.ts'
import type { Content } from '../../providers/provider.ts'
import { type CheckSettings, type CodSettings, defaults } from '../settings/settings.ts'
import { confirmationView } from '../view.ts'
import { type ConfirmationEvent, type ConfirmationTypes, confirmation } from './confirmation.ts'
import {
  type CheckEvent,
  type CheckState,
  type Effect,
  type Machine,
  type InternalEvent,
  type SentPurpose,
  type Types,
  transition,
} from './machine.ts'
import { composeMessage } from './questions.ts'
import { type RefusalEvent, type RefusalTypes, refusal } from './refusal.ts'
import {
  type Conversation,
  type ConversationCheck,
  MAX_INTERNAL_INPUTS,
  type InternalInput,
  lockConversations,
  writeConversations,
} from './store.ts'

/**
 * An event of one of the two checks of a confirmation. Instants are in real time; `reportId` names the customer's message
 * that brought it.
 */
export type ConversationEvent = { workspaceId: string; confirmationId: string; reportId?: string } & EventOfCheck

export type EventOfCheck =
  | { check: 'confirmation'; event: ConfirmationEvent | TemplateSubmission }
  | { check: 'refusal'; event: RefusalEvent | TemplateSubmission }

/** Reminder and deadline are read from the settings when the submission completes (docs/cod.md#timers). */
type TemplateSubmission = { type: 'template_submitted'; at: Date }

/**
 * Runs the machines in the caller's transaction, each conversation locked: state, answers, messages, events and their
 * deliveries commit together. Returns what each event did. After the commit the caller wakes `submit` and `deliver`. `locked`
 * holds the conversations that this transaction has locked; the others are added to it.
 */
export async function advance(
  tx: Sql,
  now: Date,
  events: readonly ConversationEvent[],
  locked: Map<string, Conversation> = new Map(),
): Promise<Map<ConversationEvent, InputResult>> {
  if (events.length === 0) return new Map()
  const others = events.filter(({ confirmationId }) => !locked.has(confirmationId))
  for (const [id, conversation] of await lockConversations(tx, others)) locked.set(id, conversation)
  const settings = await settingsOf(tx, events)
  const result = emptyResult(now, settings)
  const advanced = new Map(
    events.map((event) => {
      const conversation = locked.get(event.confirmationId)
      const note = whyNot(conversation, event)
      return [event, conversation && !note ? advanceCheck(result, conversation, event) : toIgnored(note)]
    }),
  )
  await writeConversations(tx, [...result.changed])
  if (result.answers.length > 0) await tx.rows(insertAnswers, [batch(result.answers)])
  await enqueueMessages(tx, now, result.messages)
  await recordEvents(tx, now, result.events)
  return advanced
}

/** `inputNumber`: its number among the inputs that changed the conversation; null: it changed nothing. */
type InputResult = { ignored: CodedText | null; inputNumber: number | null; sends: readonly SentPurpose[] }

const toIgnored = (ignored: CodedText | null): InputResult => ({ ignored, inputNumber: null, sends: [] })

type BatchResult = {
  now: Date
  settings: Map<string, CodSettings>
  messages: NewMessage[]
  events: NewEvent[]
  answers: AnswerRow[]
  changed: Set<Conversation>
}

const emptyResult = (now: Date, settings = new Map<string, CodSettings>()): BatchResult => ({
  now,
  settings,
  messages: [],
  events: [],
  answers: [],
  changed: new Set(),
})

type AnswerRow = {
  id: string
  workspace_id: string
  confirmation_id: string
  check_kind: Check
  answer: string
  detail: Record<string, unknown>
  answered_at: Date
  report_id: string | undefined
  superseded: boolean
}

const readSettings = statement<{ workspace_id: string; document: CodSettings }>(
  'read_cod_settings_of_workspaces',
  `select workspace_id, document from cod_settings where workspace_id = any ($1::uuid[])`,
)

async function settingsOf(tx: Sql, events: readonly ConversationEvent[]): Promise<Map<string, CodSettings>> {
  const rows = await tx.rows(readSettings, [[...new Set(events.map(({ workspaceId }) => workspaceId))]])
  return new Map(rows.map(({ workspace_id, document }) => [workspace_id, document]))
}

function whyNot(conversation: Conversation | undefined, { event }: ConversationEvent): CodedText | null {
  if (!conversation) return { code: 'cod.advance_no_confirmation' }
  return isErased(conversation.recipient) && event.type !== 'recipient_erased' ? { code: 'cod.erased' } : null
}

/** Applies an input to a copy of the conversation. Pure: "verify" applies stored inputs again with it. */
export function advanceCopy(before: Conversation, trigger: ConversationEvent) {
  const { confirmation, refusal } = before
  const after = { ...before, confirmation: { ...confirmation }, refusal: refusal && { ...refusal } }
  const result = emptyResult(before.createdAt)
  const advanced = advanceCheck(result, after, trigger)
  return { ...advanced, after, answers: result.answers, events: result.events }
}

/** Changes the conversation and adds to the result. */
function advanceCheck(result: BatchResult, conversation: Conversation, trigger: ConversationEvent): InputResult {
  const settings = result.settings.get(conversation.workspaceId)?.[trigger.check]
  if (trigger.check === 'confirmation') {
    const context = { conversation, check: conversation.confirmation, trigger }
    return runMachine(result, context, confirmation, withSettings<ConfirmationTypes>(trigger.event, settings))
  }
  if (!conversation.refusal) return toIgnored({ code: 'cod.no_refusal_check' })
  const context = { conversation, check: conversation.refusal, trigger }
  return runMachine(result, context, refusal, withSettings<RefusalTypes>(trigger.event, settings))
}

/** If the settings have been removed, the default deadline applies, without a reminder. */
const withSettings = <T extends Types>(
  event: CheckEvent<T> | TemplateSubmission,
  settings: CheckSettings = { reminderMinutes: null, noResponseMinutes: defaults.noResponseMinutes },
): CheckEvent<T> => (event.type === 'template_submitted' ? { type: 'submitted', at: event.at, ...settings } : event)

type CheckContext<T extends Types> = {
  conversation: Conversation
  check: ConversationCheck<T>
  trigger: ConversationEvent
}

function runMachine<T extends Types>(
  result: BatchResult,
  context: CheckContext<T>,
  machine: Machine<T>,
  event: CheckEvent<T>,
): InputResult {
  const { conversation, check } = context
  const before = check.state
  const { state, effects, ignored } = transition(machine, before, event)
  check.state = inWorkspaceTimes(conversation, state, before)
  if (state === before && effects.length === 0) return toIgnored(ignored)
  conversation.inputs += 1
  const { internalInputs } = conversation
  if (isInternal(event) && (internalInputs?.length ?? 0) < MAX_INTERNAL_INPUTS)
    conversation.internalInputs = [...(internalInputs ?? []), internalInput(context, event)]
  result.changed.add(conversation)
  for (const effect of effects) applyEffect(result, context, effect)
  const sends = effects.flatMap((effect) => (effect.type === 'send' ? effect.purpose : []))
  return { ignored, inputNumber: conversation.inputs, sends }
}

const INTERNAL: Readonly<Record<InternalEvent['type'], true>> = {
  reminder_due: true,
  deadline_passed: true,
  follow_up_expired: true,
  send_failed: true,
  recipient_erased: true,
}

const isInternal = (event: CheckEvent<Types>): event is InternalEvent => event.type in INTERNAL

const internalInput = <T extends Types>(
  { conversation, trigger }: CheckContext<T>,
  event: InternalEvent,
): InternalInput => {
  const { inputs: inputNumber, clockOffsetMs } = conversation
  return { inputNumber, clockOffsetMs, check: trigger.check, event }
}

/** Clients see the workspace's time. Times that the event did not change are already in it. */
const inWorkspaceTimes = <T extends Types>(
  conversation: Conversation,
  { answeredAt, failure, ...state }: CheckState<T>,
  before: CheckState<T>,
): CheckState<T> => ({
  ...state,
  answeredAt: answeredAt && answeredAt !== before.answeredAt ? afterCreation(conversation, answeredAt) : answeredAt,
  failure:
    failure && failure !== before.failure ? { ...failure, at: afterCreation(conversation, failure.at) } : failure,
})

/** In the workspace's time. If the provider's clock is slow, an answer may seem older than its confirmation. */
const afterCreation = (conversation: Conversation, at: Date): Date =>
  notBefore(later(conversation.createdAt, 1), inWorkspaceTime(conversation, at))

const inWorkspaceTime = ({ clockOffsetMs }: Conversation, at: Date): Date => later(at, clockOffsetMs)

function applyEffect<T extends Types>(result: BatchResult, context: CheckContext<T>, effect: Effect<T>): void {
  const { conversation, trigger } = context
  switch (effect.type) {
    case 'answered':
    case 'superseded':
      result.answers.push({
        id: newId(),
        workspace_id: conversation.workspaceId,
        confirmation_id: conversation.id,
        check_kind: trigger.check,
        answer: effect.answer,
        detail:
          trigger.check === 'confirmation'
            ? { reschedule: effect.chosen }
            : { reason: null, note: null, ...effect.chosen },
        answered_at: afterCreation(conversation, effect.at),
        report_id: trigger.reportId,
        superseded: effect.type === 'superseded',
      })
      return
    case 'emit':
      result.events.push(eventOf(conversation, effect.event, effect.at))
      return
    case 'send':
      sendMessage(result, context, effect.purpose)
      return
  }
}

/** `occurredAt` rises strictly within one confirmation, so that receivers know which event is the last. */
function eventOf(conversation: Conversation, type: NewEvent['type'], at: Date): NewEvent {
  const { id: confirmationId, workspaceId, lastEventAt, inputs: inputNumber } = conversation
  const eventAt = inWorkspaceTime(conversation, at)
  const occurredAt = lastEventAt && eventAt <= lastEventAt ? later(lastEventAt, 1) : eventAt
  conversation.lastEventAt = occurredAt
  const data = { ...confirmationView(conversation), occurredAt: occurredAt.toISOString() }
  return { id: newId(), workspaceId, type, confirmationId, inputNumber, data }
}

/**
 * Without texts, when the language was removed from the settings, nothing is asked and the follow-up expires. Typed text
 * belongs to the check whose question the customer's latest answer led to, so the time of that answer is kept with its check.
 */
function sendMessage<T extends Types>(
  result: BatchResult,
  { conversation, check, trigger }: CheckContext<T>,
  purpose: SentPurpose,
): void {
  const { workspaceId, senderId, recipient } = conversation
  const id = newId()
  const now = inWorkspaceTime(conversation, result.now)
  const settings = result.settings.get(workspaceId)
  const context = settings && { settings, language: check.language, questionId: id, now, check: trigger.check }
  const message: { content: Content | null; offered?: string[] } | undefined =
    purpose === 'reminder' ? { content: null } : context && composeMessage(purpose, context)
  if (!message) return
  if (purpose !== 'closing' && purpose !== 'reminder') check.askedAt = trigger.event.at
  const { content, offered = null } = message
  result.messages.push({
    id,
    workspace_id: workspaceId,
    sender_id: senderId,
    recipient,
    confirmation_id: conversation.id,
    check_kind: trigger.check,
    purpose,
    content,
    offered,
    round: offered && check.state.round,
    created_at: now,
  })
}

const insertAnswers = statement(
  'insert_cod_answers',
  `insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id, superseded)
   select id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id, superseded
   from jsonb_to_recordset($1) as a (id uuid, workspace_id uuid, confirmation_id uuid, check_kind text, answer text, detail jsonb,
     answered_at timestamptz, report_id uuid, superseded boolean)`,
)
