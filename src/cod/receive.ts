import { later } from '../clock.ts'
import { type Sql, type Statement, batch, changes, statement } from '../db.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import { happenedAt } from '../messages/receive.ts'
import type { InboundMessage, Provider } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import { type Happening, advance } from './advance.ts'
import { phoneForms } from './customer.ts'
import { KINDS } from './ignored.ts'
import { type Reply, readReply } from './replies.ts'
import { lockCases } from './state.ts'

/** A stored message of a customer. */
export type Inbound = {
  id: string
  workspace_id: string
  account_id: string
  body: string
  occurred_at: Date | null
  received_at: Date
}

/** What became of it; `confirmationId` says in whose transcript it belongs. */
export type Received = { note: string | null; confirmationId: string | null }

/**
 * Brings customers' messages to their conversations, in the caller's transaction: by the payload that was tapped and the
 * message that is quoted, never by a label or a number alone (contract §4). What fits nothing changes nothing.
 */
export async function receiveMessages(
  tx: Sql,
  provider: Pick<Provider, 'readInbound'>,
  now: Date,
  messages: readonly Inbound[],
): Promise<Received[]> {
  const received = messages.map((): Received => ({ note: notes.unreadable.en, confirmationId: null }))
  const waves = wavesOf(read(provider, messages))
  if (waves.length > 1) await lockBeforehand(tx, waves.flat())
  for (const [ordinal, wave] of waves.entries()) {
    const places = await findPlaces(tx, wave)
    const decided = wave.map((each, index) => decide(each, places[index] ?? NOWHERE))
    const happenings = decided.flatMap((each) => each.happenings)
    // A customer's second message is answered later than the first: text belongs to whoever asked last.
    const ignored = happenings.length > 0 ? await advance(tx, later(now, ordinal), happenings) : []
    const strangers = wave.flatMap((each, index) => strangerOf(each, places[index], decided[index]))
    if (strangers.length > 0) await tx.rows(knowUsers, [changes(strangers)])
    let next = 0
    for (const [index, each] of decided.entries()) {
      const own = ignored.slice(next, next + each.happenings.length)
      next += each.happenings.length
      const place = wave[index]?.place
      if (place !== undefined)
        received[place] = { note: each.note ?? own[0] ?? null, confirmationId: each.confirmationId }
    }
  }
  return received
}

const notes = keptSentences({
  unreadable: { en: 'nothing that this release can read', ar: 'لا شيء مما يستطيع هذا الإصدار قراءته' },
  otherKind: {
    en: 'a message of the type "{kind}" answers no question',
    ar: 'رسالة من نوع {kind} لا تجيب عن سؤال',
    words: { kind: KINDS },
  },
  otherRelease: { en: 'the button was sent by another release', ar: 'أرسل الزرَّ إصدار آخر' },
  foreignButton: { en: 'the button is none of ours', ar: 'الزر ليس من أزرارنا' },
  noConfirmation: {
    en: 'no confirmation of this workspace has this button',
    ar: 'ليس لأي تأكيد في مساحة العمل هذه هذا الزر',
  },
  otherSender: {
    en: 'the button was tapped in a chat with another sender',
    ar: 'ضُغط الزر في محادثة مع مرسل آخر',
  },
  otherConversation: {
    en: 'the message that was tapped belongs to another conversation',
    ar: 'الرسالة التي ضُغط زرها من محادثة أخرى',
  },
  noSuchChoice: { en: 'the question offered no such choice', ar: 'لم يعرض السؤال هذا الاختيار' },
  empty: { en: 'an empty message', ar: 'رسالة فارغة' },
  noOpenQuestion: { en: 'no question is open that it could answer', ar: 'لا سؤال مفتوح يمكن أن تجيب عنه' },
})

type Read = { place: number; stored: Inbound; inbound: InboundMessage; reply: ReturnType<typeof readReply> | null }

function read(provider: Pick<Provider, 'readInbound'>, messages: readonly Inbound[]): Read[] {
  return messages
    .flatMap((stored, place): Read[] => {
      const inbound = provider.readInbound(stored.body)
      if (!inbound) return []
      const reply = inbound.says.type === 'tap' ? readReply(inbound.says.payload) : null
      return [{ place, stored, inbound, reply }]
    })
    .sort((one, other) => toldAt(one).getTime() - toldAt(other).getTime())
}

const toldAt = ({ stored }: Read): Date => stored.occurred_at ?? stored.received_at

/** One customer's messages go one after the other: the second one may answer what the first one brings up. */
function wavesOf(messages: Read[]): Read[][] {
  const waves: Read[][] = []
  const seen = new Map<string, number>()
  for (const message of messages) {
    const { waId, userId } = message.inbound.customer
    const customer = `${message.stored.account_id} ${message.inbound.phoneNumberId} ${waId ?? userId}`
    const wave = seen.get(customer) ?? 0
    seen.set(customer, wave + 1)
    ;(waves[wave] ??= []).push(message)
  }
  return waves
}

/** Each wave alone would lock in order, but not all of them together: two nodes would wait for each other in a circle. */
async function lockBeforehand(tx: Sql, messages: readonly Read[]): Promise<void> {
  const places = await findPlaces(tx, messages)
  const cases = messages.flatMap(({ stored: { workspace_id: workspaceId } }, index) => {
    const { target, open } = places[index] ?? NOWHERE
    return [...(target ? [target] : []), ...(open ?? [])].map(({ id }) => ({ workspaceId, confirmationId: id }))
  })
  if (cases.length > 0) await lockCases(tx, cases)
}

type Place = {
  n: number
  sender_id: string | null
  question: {
    confirmation_id: string
    check_kind: Check
    purpose: Purpose
    offered: string[] | null
    round: number | null
  } | null
  quoted: { confirmation_id: string; check_kind: Check; purpose: Purpose } | null
  /** The confirmation that the payload, the question or the quoted message names, when it is one of this workspace. */
  target: { id: string; sender_id: string; customer_user_id: string | null } | null
  /** Of the customer's confirmations with this sender: the newest, and those with an open follow-up. */
  newest: string | null
  open: { id: string; check: Check; asked_at: string | null }[] | null
}

const NOWHERE: Place = { n: 0, sender_id: null, question: null, quoted: null, target: null, newest: null, open: null }

/** So many of a customer's confirmations are looked at, the newest first. */
const CONFIRMATIONS_LOOKED_AT = 50

/**
 * The workspace is compared outside of what finds a row by its own index: beside it, the planner would read the whole
 * workspace by another index and intersect the two.
 */
const findPlacesOfMessages: Statement<Place> = statement(
  'find_places_of_messages',
  `select r.n, s.id as sender_id, to_jsonb(q) as question, to_jsonb(quoted) as quoted, to_jsonb(target) as target,
          (select max(c.id::text)::uuid from unnest(theirs.ids) as c (id)) as newest,
          open.followups as open
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, account_id uuid, phone_number_id text, question_id uuid,
     confirmation_id uuid, quotes text, phones jsonb, user_id text)
   left join lateral (
     select s.id from senders s
     where s.workspace_id = r.workspace_id and s.account_id = r.account_id and s.phone_number_id = r.phone_number_id limit 1) s on true
   left join lateral (
     select m.confirmation_id, m.check_kind, m.purpose, m.offered, m.round from messages m
     where m.workspace_id = r.workspace_id and m.id = r.question_id and m.kind = 'cod' limit 1) q on true
   left join lateral (
     select m.confirmation_id, m.check_kind, m.purpose from (
       select * from messages where provider_message_id = r.quotes offset 0) m
     where m.workspace_id = r.workspace_id and m.kind = 'cod' limit 1) quoted on true
   left join lateral (
     select c.id, c.sender_id, c.customer_user_id from confirmations c
     where c.workspace_id = r.workspace_id and c.id = coalesce(r.confirmation_id, q.confirmation_id, quoted.confirmation_id) limit 1) target on true
   left join lateral (
     select array_agg(c.id) as ids from (
       (select c.id from jsonb_array_elements_text(r.phones) as phone (number) cross join lateral (
          select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.recipient = phone.number
          order by c.id desc limit ${CONFIRMATIONS_LOOKED_AT}) c
        where c.workspace_id = r.workspace_id)
       union
       (select c.id from (
          select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.customer_user_id = r.user_id
          order by c.id desc limit ${CONFIRMATIONS_LOOKED_AT}) c
        where c.workspace_id = r.workspace_id)) c) theirs on true
   left join lateral (
     select jsonb_agg(f) as followups from unnest(theirs.ids) as their (id) cross join lateral (
       (select c.id, 'confirmation' as check, c.asked_at from confirmations c
        where c.workspace_id = r.workspace_id and c.id = their.id and c.status = 'rescheduling' limit 1)
       union all
       (select f.confirmation_id, 'refusal', f.asked_at from refusal_checks f
        where f.workspace_id = r.workspace_id and f.confirmation_id = their.id and f.status in ('awaiting_reason', 'awaiting_note')
        limit 1)) f) open on true
   order by r.n`,
)

async function findPlaces(tx: Sql, wave: readonly Read[]): Promise<Place[]> {
  const wanted = wave.map(({ stored, inbound, reply }, n) => ({
    n,
    workspace_id: stored.workspace_id,
    account_id: stored.account_id,
    phone_number_id: inbound.phoneNumberId,
    question_id: reply?.to === 'question' ? reply.questionId : null,
    confirmation_id: reply?.to === 'confirmation' || reply?.to === 'refusal' ? reply.confirmationId : null,
    quotes: inbound.quotes,
    phones: inbound.customer.waId === null ? [] : phoneForms(inbound.customer.waId),
    user_id: inbound.customer.userId,
  }))
  return tx.rows(findPlacesOfMessages, [batch(wanted)])
}

type Decided = { happenings: Happening[]; note: string | null; confirmationId: string | null }

/** The first happening is what the message says; the others only move the expiry of the customer's open follow-ups. */
function decide(message: Read, place: Place): Decided {
  const at = happenedAt(toldAt(message), message.stored.received_at)
  const own = sayingOf(message, place, at)
  const workspaceId = message.stored.workspace_id
  const wrote = (place.open ?? []).map(
    ({ id, check }): Happening => ({ workspaceId, confirmationId: id, check, event: { type: 'customer_wrote', at } }),
  )
  if (typeof own !== 'string') {
    const said = { ...own, reportId: message.stored.id }
    return { happenings: [said, ...wrote], note: null, confirmationId: own.confirmationId }
  }
  const transcript = message.reply?.to === 'nothing' || !place.target ? place.newest : place.target.id
  return { happenings: wrote, note: own, confirmationId: transcript }
}

/** Whose id the answers to our sends did not tell: a later message may come without the number and without a quote. */
const strangerOf = (
  { inbound }: Read,
  place: Place | undefined,
  decided: Decided | undefined,
): { id: string; user_id: string }[] =>
  place?.target && place.target.customer_user_id === null && decided?.note === null && inbound.customer.userId !== null
    ? [{ id: place.target.id, user_id: inbound.customer.userId }]
    : []

const knowUsers = statement(
  'know_users',
  // by id alone: advance has just locked these rows by workspace_id and id
  `update confirmations c set customer_user_id = $1::jsonb -> c.id::text ->> 'user_id'
   where c.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

/** What the message says to which check, or why it says nothing. */
function sayingOf(message: Read, place: Place, at: Date): Happening | string {
  const { says } = message.inbound
  if (says.type === 'other') return notes.otherKind({ kind: says.kind }).en
  if (says.type === 'text') return typed(message, place, { at, text: says.text })
  const { reply } = message
  if (!reply || reply.to === 'nothing') {
    return reply?.because === 'version' ? notes.otherRelease.en : notes.foreignButton.en
  }
  const objection = objectionTo(reply, place)
  return objection ?? tapped(reply, place, { workspaceId: message.stored.workspace_id, at })
}

/** A payload alone is not believed when the message that it came with says otherwise. */
function objectionTo(reply: Reply, { target, sender_id, question, quoted }: Place): string | null {
  if (!target) return notes.noConfirmation.en
  if (sender_id !== null && sender_id !== target.sender_id) return notes.otherSender.en
  if (!quoted) return null
  const check = reply.to === 'question' ? question?.check_kind : reply.to
  const fits = quoted.confirmation_id === target.id && quoted.check_kind === check
  return fits ? null : notes.otherConversation.en
}

type Said = { workspaceId: string; at: Date }

function tapped(reply: Reply, { target, question }: Place, { workspaceId, at }: Said): Happening | string {
  const confirmationId = target?.id ?? ''
  const of = { workspaceId, confirmationId }
  switch (reply.to) {
    case 'confirmation':
      return { ...of, check: 'confirmation', event: { type: 'tapped', at, answer: reply.answer } }
    case 'refusal':
      return { ...of, check: 'refusal', event: { type: 'tapped', at, answer: reply.answer } }
    case 'question': {
      const choice = question?.offered?.[reply.index]
      if (!question || choice === undefined) return notes.noSuchChoice.en
      const round = question.round ?? 0
      switch (question.purpose) {
        case 'day_question':
          return { ...of, check: 'confirmation', event: { type: 'day_chosen', at, date: choice, followUp: round } }
        case 'time_question':
          return {
            ...of,
            check: 'confirmation',
            event: { type: 'range_chosen', at, timeRange: choice, followUp: round },
          }
        case 'reasons_question':
          return reply.index === (question.offered?.length ?? 0) - 1
            ? { ...of, check: 'refusal', event: { type: 'other_chosen', at, label: choice } }
            : { ...of, check: 'refusal', event: { type: 'reason_chosen', at, reason: choice, list: round } }
        case 'template':
        case 'reminder':
        case 'note_prompt':
        case 'closing':
          return notes.noSuchChoice.en
      }
    }
  }
}

/** To the conversation whose message it quotes, else to the one that asked the latest question still open (contract §4). */
function typed(message: Read, place: Place, { at, text }: { at: Date; text: string }): Happening | string {
  if (text.trim() === '') return notes.empty.en
  const event = { type: 'typed', at, text } as const
  const { workspace_id: workspaceId } = message.stored
  const { quoted, target, open } = place
  if (quoted && target) {
    return { workspaceId, confirmationId: target.id, check: quoted.check_kind, event }
  }
  const [latest] = (open ?? []).toSorted((one, other) => askedAt(other) - askedAt(one))
  return latest ? { workspaceId, confirmationId: latest.id, check: latest.check, event } : notes.noOpenQuestion.en
}

/** As a number: the text is in the time zone of the database, where an hour may come twice. */
const askedAt = ({ asked_at }: { asked_at: string | null }): number => (asked_at === null ? 0 : Date.parse(asked_at))
