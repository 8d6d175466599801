import type { CodedText } from '../../../locales/text.ts'
import { isBlank } from '../../../locales/visible-text.ts'
import { later } from '../../lib/clock.ts'
import { type Sql, type Statement, batch, statement } from '../../lib/db/pool.ts'
import type { Check, Purpose } from '../../messages/conversation.ts'
import { type TappedMessage, acceptTapped } from '../../messages/queue/tapped.ts'
import { processAgain } from '../../messages/reports/process.ts'
import { happenedAt } from '../../messages/reports/receive.ts'
import type { InboundReader, InboundResult, StoredInbound } from '../../messages/subscribers.ts'
import type { InboundMessage } from '../../providers/provider.ts'
import { erasedIn } from '../../lib/phone/erased-recipient.ts'
import { type ConversationEvent, type EventOfCheck, advance } from './advance.ts'
import { type AnswerOrder, answerOrder, isOlder } from './answer-order.ts'
import { storeUserIds, phoneForms } from './customer.ts'
import { kindText } from './kinds.ts'
import { type Reply, decodeReply } from './replies.ts'
import { type Conversation, lockConversations } from './store.ts'

/**
 * Advances conversations by customers' messages, in the caller's transaction. A message is matched by the tapped payload
 * and the quoted message, never only by a label or a number (docs/cod.md#which-conversation-a-message-belongs-to).
 */
export async function receiveMessages(
  tx: Sql,
  provider: InboundReader,
  now: Date,
  messages: readonly StoredInbound[],
): Promise<InboundResult[]> {
  const results = new Map<string, InboundResult>()
  const openings: Decision[] = []
  const batches = batchesByCustomer(readMessages(provider, messages))
  const all = batches.flat()
  const locksFirst = batches.length > 1 || all.some(({ inbound }) => inbound.says.type === 'text')
  const locked = locksFirst ? await lockMatches(tx, all) : new Map<string, Conversation>()
  for (const [ordinal, messagesOfBatch] of batches.entries()) {
    const decisions = (await findMatches(tx, messagesOfBatch)).map(decide)
    const events = decisions.flatMap((decision) => decision.events)
    // A customer's second message is answered after the first.
    const advanced = await advance(tx, later(now, ordinal), events, locked)
    await acceptTapped(tx, now, decisions.flatMap(unidentified))
    await storeUserIds(tx, decisions.flatMap(unknownUser))
    for (const decision of decisions) {
      const { message, events, note, confirmationId } = decision
      // Without an answer the events only move the expiry of follow-ups.
      const answered = note ? undefined : events[0] && advanced.get(events[0])
      const inputNumber = answered?.inputNumber ?? null
      const clockOffsetMs = (confirmationId && locked.get(confirmationId)?.clockOffsetMs) || 0
      results.set(message.stored.id, {
        note: note ?? answered?.ignored ?? null,
        confirmationId,
        inputNumber,
        clockOffsetMs,
      })
      if (answered?.ignored === null && opensFollowUp(events[0])) openings.push(decision)
    }
  }
  // Messages written after these taps may have been reported before them.
  await processAgain(tx, now, openings.flatMap(writtenAfter))
  return messages.map(({ id }) => results.get(id) ?? UNREADABLE)
}

const UNREADABLE: InboundResult = {
  note: { code: 'cod.unreadable' },
  confirmationId: null,
  inputNumber: null,
  clockOffsetMs: 0,
}

type ReadMessage = {
  stored: StoredInbound
  order: AnswerOrder
  inbound: InboundMessage
  reply: ReturnType<typeof decodeReply> | null
}

const readMessages = (provider: InboundReader, messages: readonly StoredInbound[]): ReadMessage[] =>
  messages
    .flatMap((stored): ReadMessage[] => {
      const inbound = provider.readInbound(stored.body)
      if (!inbound) return []
      const reply = inbound.says.type === 'tap' ? decodeReply(inbound.says.payload) : null
      return [{ stored, order: answerOrder(stored), inbound, reply }]
    })
    .sort((one, other) => (one.order < other.order ? -1 : 1))

/** One customer's messages go one by one: the second may answer the question that follows the first. */
function batchesByCustomer(messages: ReadMessage[]): ReadMessage[][] {
  const batches: ReadMessage[][] = []
  const seen = new Map<string, number>()
  for (const message of messages) {
    const { waId, userId } = message.inbound.customer
    const customer = `${message.stored.workspace_id} ${waId ?? userId}`
    const ordinal = seen.get(customer) ?? 0
    seen.set(customer, ordinal + 1)
    ;(batches[ordinal] ??= []).push(message)
  }
  return batches
}

/**
 * All batches lock together, in order: locking batch by batch could deadlock two nodes. A text waits for a tap on another node that is
 * opening one of its customer's questions, or the tap waits and then finds the text.
 */
async function lockMatches(tx: Sql, messages: readonly ReadMessage[]): Promise<Map<string, Conversation>> {
  const matches = await findMatches(tx, messages)
  const conversations = matches.flatMap(({ stored: { workspace_id: workspaceId }, match: { target, theirs } }) =>
    [...(target ? [target.id] : []), ...(theirs ?? [])].map((confirmationId) => ({ workspaceId, confirmationId })),
  )
  return lockConversations(tx, conversations)
}

type Match = {
  n: number
  /** Those of the number that the customer wrote to; null if it is unknown. */
  senders: string[] | null
  question: { check_kind: Check; purpose: Purpose; offered: string[] | null; round: number | null } | null
  quoted: { confirmation_id: string; check_kind: Check } | null
  /** The confirmation of this workspace that the payload, the question or the quoted message names. */
  target: { id: string; sender_id: string; customer_user_id: string | null; is_erased: boolean } | null
  /** The customer's newest confirmations with these senders. */
  theirs: string[] | null
  /** Those with a follow-up, the latest asked first. */
  followUps: FollowUp[] | null
}

/** `tap`: the order of the tap that opened it. `completed`: when it was complete; null while it is open. */
type FollowUp = { id: string; check: Check; tap: AnswerOrder | null; completed: AnswerOrder | null }

type MatchedMessage = ReadMessage & { match: Match }

/** SQL: as `completion` in answer-order.ts, null while the follow-up is open. */
const completionIn = (status: string): string =>
  `case c.status when '${status}' then coalesce(c.answer_times ->> 'expired', c.answer_times ->> 'completed', c.answer_times ->> 'last') end`
/** SQL: a text would be its first note. */
const HAS_NO_NOTE = `c.answer_times -> 'choices' ->> 'note' is null`

/** Only a customer's newest confirmations are considered. */
const MAX_CONFIRMATIONS = 50

const matchMessages: Statement<Match> = statement(
  'match_messages',
  `select r.n, senders.ids as senders, to_jsonb(q) as question, to_jsonb(quoted) as quoted, to_jsonb(target) as target,
          theirs.ids as theirs, followups.followups as "followUps"
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, phone_number_id text, question_id uuid,
     confirmation_id uuid, quotes text, phones jsonb, user_id text)
   -- a number that moves to another account gets a new id and a new sender; accounts of one app share a webhook path
   cross join lateral (
     select array_agg(s.id) filter (where s.phone_number_id = r.phone_number_id or s.phone = s.number) as ids
     from (
       select s.id, s.phone_number_id, s.phone,
              nullif(max(s.phone) filter (where s.phone_number_id = r.phone_number_id) over (), '') as number
       from senders s where s.workspace_id = r.workspace_id) s) senders
   left join lateral (
     select m.confirmation_id, m.check_kind, m.purpose, m.offered, m.round from messages m
     where m.workspace_id = r.workspace_id and m.id = r.question_id and m.kind = 'cod' limit 1) q on true
   left join lateral (
     select m.confirmation_id, m.check_kind from messages m
     where m.workspace_id = r.workspace_id and m.provider_message_id = r.quotes and m.kind = 'cod' limit 1) quoted on true
   left join lateral (
     select c.id, c.sender_id, c.customer_user_id, ${erasedIn('c.recipient')} as is_erased from confirmations c
     where c.workspace_id = r.workspace_id and c.id = coalesce(r.confirmation_id, q.confirmation_id, quoted.confirmation_id) limit 1) target on true
   left join lateral (
     select array_agg(c.id order by c.id desc) as ids from (select c.id from (
       (select c.id from unnest(senders.ids) as s (id) cross join jsonb_array_elements_text(r.phones) as phone (number)
        cross join lateral (
          select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.recipient = phone.number
          order by c.id desc limit ${MAX_CONFIRMATIONS}) c
        where c.workspace_id = r.workspace_id)
       union
       (select c.id from unnest(senders.ids) as s (id) cross join lateral (
          select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.customer_user_id = r.user_id
          order by c.id desc limit ${MAX_CONFIRMATIONS}) c
        where c.workspace_id = r.workspace_id)) c order by c.id desc limit ${MAX_CONFIRMATIONS}) c) theirs on true
   left join lateral (
     select jsonb_agg(f order by f.asked_at desc nulls last, f.last desc, f.id desc) as followups
     from unnest(theirs.ids) as their (id) cross join lateral (
       (select c.id, 'confirmation' as check, c.asked_at, c.answer_times ->> 'tap' as tap, c.answer_times ->> 'last' as last,
          ${completionIn('rescheduled')} as completed
        from confirmations c
        where c.workspace_id = r.workspace_id and c.id = their.id
          and (c.status = 'rescheduling' or c.status = 'rescheduled' and ${HAS_NO_NOTE}) limit 1)
       union all
       (select c.confirmation_id, 'refusal', c.asked_at, c.answer_times ->> 'tap', c.answer_times ->> 'last', ${completionIn('refusal_confirmed')}
        from refusal_checks c
        where c.workspace_id = r.workspace_id and c.confirmation_id = their.id
          and (c.status in ('awaiting_reason', 'awaiting_note') or c.status = 'refusal_confirmed' and ${HAS_NO_NOTE})
        limit 1)) f) followups on true
   order by r.n`,
)

async function findMatches(tx: Sql, messages: readonly ReadMessage[]): Promise<MatchedMessage[]> {
  const requests = messages.map(({ stored, inbound, reply }, n) => ({
    n,
    workspace_id: stored.workspace_id,
    phone_number_id: inbound.phoneNumberId,
    question_id: reply?.to === 'question' ? reply.questionId : null,
    confirmation_id: reply?.to === 'confirmation' || reply?.to === 'refusal' ? reply.confirmationId : null,
    quotes: inbound.quotes,
    phones: inbound.customer.waId === null ? [] : phoneForms(inbound.customer.waId),
    user_id: inbound.customer.userId,
  }))
  const matches = await tx.rows(matchMessages, [batch(requests)])
  return matches.flatMap((match) => {
    const message = messages[match.n]
    return message ? [{ ...message, match }] : []
  })
}

/** `confirmationId`: the confirmation whose transcript gets the message. */
type Decision = {
  message: MatchedMessage
  events: ConversationEvent[]
  note: CodedText | null
  confirmationId: string | null
}

/** The first event is the answer; the others only move the expiry of the customer's open follow-ups. */
function decide(message: MatchedMessage): Decision {
  const { stored, reply, match } = message
  const workspaceId = stored.workspace_id
  const at = happenedAt(stored.occurred_at ?? stored.received_at, stored.received_at)
  if (match.target?.is_erased)
    return { message, events: [], note: { code: 'cod.erased' }, confirmationId: match.target.id }
  const event = { type: 'customer_wrote', at } as const
  const wrote = (match.followUps ?? []).flatMap(({ id: confirmationId, check, completed }): ConversationEvent[] =>
    completed === null ? [{ workspaceId, confirmationId, check, event }] : [],
  )
  const answer = interpret(message, at)
  if ('code' in answer) {
    const confirmationId = reply?.to === 'nothing' || !match.target ? (match.theirs?.[0] ?? null) : match.target.id
    return { message, events: wrote, note: answer, confirmationId }
  }
  const events = [{ workspaceId, reportId: stored.id, ...answer }, ...wrote]
  return { message, events, note: null, confirmationId: answer.confirmationId }
}

/** The send responses did not name this user: a later message may come without the number and without a quote. */
function unknownUser({ message, note }: Decision): { id: string; user_id: string | null }[] {
  const { target } = message.match
  const isUnknown = target !== null && target.customer_user_id === null && note === null
  return isUnknown ? [{ id: target.id, user_id: message.inbound.customer.userId }] : []
}

const opensFollowUp = (answer: ConversationEvent | undefined): boolean =>
  answer?.event.type === 'tapped' && (answer.event.answer === 'change_time' || answer.event.answer === 'yes')

/** Where messages are stored that the customer wrote after this tap, and since when. */
function writtenAfter({ message: { stored, match }, confirmationId }: Decision) {
  const { workspace_id, occurred_at: at, received_at: receivedAt } = stored
  const since = at && at < receivedAt ? at : receivedAt
  return [confirmationId, ...(match.theirs ?? [])].map((id) => ({ workspace_id, id, since }))
}

/** The tapped message, if its provider id is not stored: the response may have been lost. */
function unidentified({ message: { inbound, reply, match }, events: [answer], note }: Decision): TappedMessage[] {
  if (!answer || note || !reply || reply.to === 'nothing' || match.quoted) return []
  const { workspaceId: workspace_id, confirmationId: confirmation_id, check: check_kind } = answer
  const question_id = reply.to === 'question' ? reply.questionId : null
  return [{ workspace_id, confirmation_id, check_kind, question_id, provider_message_id: inbound.quotes }]
}

type Answer = { confirmationId: string } & EventOfCheck
type When = { at: Date; order: AnswerOrder }

/** The event that the message triggers, or why it triggers none. */
function interpret({ inbound: { says }, order, reply, match }: MatchedMessage, at: Date): Answer | CodedText {
  if (says.type === 'other') return { code: 'cod.other_kind', kind: kindText(says.kind) }
  if (says.type === 'text') return typed(says.text, match, { at, order })
  if (!reply || reply.to === 'nothing') {
    return reply?.because === 'version' ? { code: 'cod.other_release' } : { code: 'cod.foreign_button' }
  }
  return tapped(reply, match, { at, order })
}

/** A message of a confirmation. */
export type SentMessage = {
  id: string
  check: Check
  purpose: Purpose
  offered: string[] | null
  round: number | null
}

type StoredContext = {
  confirmationId: string
  questions: readonly SentMessage[]
  /** The check that a text belongs to. */
  check: Check | undefined
  /** Whether only this check counts. */
  isAnswered: boolean
}

/** The event of a stored message that belongs to the confirmation: "verify" derives answers with it. Pure. */
export function interpretAgain(
  provider: InboundReader,
  stored: StoredInbound,
  { confirmationId: id, questions, check, isAnswered }: StoredContext,
): ConversationEvent | undefined {
  const [message] = readMessages(provider, [stored])
  if (!message) return undefined
  const { reply } = message
  const question = reply?.to === 'question' ? questions.find((sent) => sent.id === reply.questionId) : undefined
  const named = reply?.to === 'confirmation' || reply?.to === 'refusal' ? reply.confirmationId : id
  const match: Match = {
    n: 0,
    senders: null,
    question: question ? { ...question, check_kind: question.check } : null,
    quoted: null,
    target: { id: named, sender_id: '', customer_user_id: null, is_erased: false },
    theirs: null,
    followUps: check ? [{ id, check, tap: null, completed: null }] : null,
  }
  const { workspace_id: workspaceId, id: reportId, occurred_at: occurredAt, received_at: receivedAt } = stored
  const answer = interpret({ ...message, match }, happenedAt(occurredAt ?? receivedAt, receivedAt))
  if ('code' in answer || answer.confirmationId !== id || (isAnswered && answer.check !== check)) return undefined
  return { workspaceId, reportId, ...answer }
}

/** A payload is not trusted when the message that it came with contradicts it. */
function tapped(reply: Reply, { target, senders, question, quoted }: Match, when: When): Answer | CodedText {
  if (!target) return { code: 'cod.receive_no_confirmation' }
  if (senders && !senders.includes(target.sender_id)) return { code: 'cod.other_sender' }
  const check = reply.to === 'question' ? question?.check_kind : reply.to
  if (quoted && (quoted.confirmation_id !== target.id || quoted.check_kind !== check)) {
    return { code: 'cod.other_conversation' }
  }
  const confirmationId = target.id
  if (reply.to === 'confirmation') {
    return { confirmationId, check: 'confirmation', event: { type: 'tapped', ...when, answer: reply.answer } }
  }
  if (reply.to === 'refusal') {
    return { confirmationId, check: 'refusal', event: { type: 'tapped', ...when, answer: reply.answer } }
  }
  const value = question?.offered?.[reply.index]
  if (!question || value === undefined) return { code: 'cod.no_such_choice' }
  const chosen = { type: 'chosen', ...when, value, round: question.round ?? 0 } as const
  if (question.purpose === 'reasons_question') {
    const isOther = reply.index === (question.offered?.length ?? 0) - 1
    return { confirmationId, check: 'refusal', event: { ...chosen, choice: isOther ? 'other' : 'reason' } }
  }
  const choice = question.purpose === 'day_question' ? 'date' : 'timeRange'
  return { confirmationId, check: 'confirmation', event: { ...chosen, choice } }
}

/**
 * A text belongs to the conversation whose message it quotes, or else to the one with the latest question of those whose follow-up was
 * open when the customer wrote it.
 */
function typed(text: string, { quoted, target, followUps }: Match, { at, order }: When): Answer | CodedText {
  if (isBlank(text)) return { code: 'cod.empty' }
  const asking = followUps?.find(
    ({ tap, completed }) => !isOlder(order, tap ?? undefined) && (completed === null || isOlder(order, completed)),
  )
  const to = quoted && target ? { id: target.id, check: quoted.check_kind } : asking
  if (!to) return { code: 'cod.no_open_question' }
  const answer: Answer = { confirmationId: to.id, check: to.check, event: { type: 'typed', at, order, text } }
  return answer
}
