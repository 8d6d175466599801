import { randomUUID } from 'node:crypto'
import { MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { type Sql, type Statement, batch, changes, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type {
  FailureCode,
  MessageKind,
  OutgoingContent,
  ProviderAccount,
  TemplateComponent,
} from '../providers/provider.ts'
import { SEND_TIMEOUT_MS } from '../providers/whatsapp/send.ts'
import type { Check, Conversation, Purpose } from './conversation.ts'
import { UNKNOWN_WAIT_MS } from './decide.ts'
import { PAIR_BURST, PAIR_INTERVAL_MS, type SenderPace, roomNow, sendsPerSecond, withSends } from './pace.ts'

/**
 * How long a claimed message is one process's alone. When it ends, the attempt is over (SEND_TIMEOUT_MS) and the wait for
 * a report that tells its outcome has passed, so that whoever claims the message next may send it once more.
 */
export const SUBMIT_LEASE_MS = SEND_TIMEOUT_MS + UNKNOWN_WAIT_MS + 5 * SECOND_MS

/** After a hold one message goes alone for so long at the most: its attempt, and the time to store what came of it. */
export const PROBE_MOST_MS = SEND_TIMEOUT_MS + 2 * SECOND_MS

/** A report of a lost message waits to be read: the message looks again so often. */
const REPORT_LOOK_MS = 2 * SECOND_MS
/** A report that cannot be processed is put aside before that; a backlog that is longer must not hold codes back. */
const REPORT_WAIT_MOST_MS = 3 * MINUTE_MS

export type Claimed = {
  id: string
  workspaceId: string
  senderId: string
  accountId: string
  account: ProviderAccount
  phoneNumberId: string
  recipient: string
  kind: MessageKind
  /** Of an OTP. */
  template: { name: string; language: string; components: TemplateComponent[] | null }
  /** Of every other message. */
  content: OutgoingContent | null
  conversation: Conversation | null
  /** Sealed. */
  code: Buffer | null
  createdAt: Date
  submitBy: Date
  lease: string
  claimedAt: Date
  /** This claim's attempt included. */
  attempts: number
  /** How often it was sent again already without knowing what became of the attempt before. */
  unknownOutcomes: number
  lastFailureCode: FailureCode | null
  /** Set when the attempt before this one left no outcome behind. */
  openAttempt: { startedAt: Date; interrupted: boolean } | null
  holdStep: number
}

/** One that finds no end of messages that may not go leaves the rest to the next poll. */
const CLAIM_TRIES_MOST = 50

/**
 * Takes what is due, at the most `room` messages: for each sender as many as its pace allows, one-time codes of all
 * senders before everything else. Two nodes share one pace, and never claim the same sender in the same moment. Where all
 * that it found may not go now it looks again: after a hold there is room for one, and others may wait behind that.
 */
export async function claimMessages(parts: ClaimParts, room: number): Promise<Claimed[]> {
  for (let tries = 0; tries < CLAIM_TRIES_MOST; tries += 1) {
    const { found, free } = await claimOnce(parts, room)
    if (found === 0 || free.length > 0) return free
  }
  return []
}

type ClaimParts = Pick<Parts, 'db' | 'clock' | 'seal'>

/** `free` of those that were found due; the others are put off or dropped, and not due any more. */
async function claimOnce(parts: ClaimParts, room: number): Promise<{ found: number; free: Claimed[] }> {
  return parts.db.transaction(async (tx) => {
    const now = parts.clock.now()
    const senders = await tx.rows(lockSendersWithWork, [now])
    if (senders.length === 0) return { found: 0, free: [] }
    const locked = await lockDue(tx, senders, { room, now })
    const found = locked.length
    const told = locked.filter((row) => isTold(row, now)).map(({ id }) => ({ id, due_at: later(now, REPORT_LOOK_MS) }))
    if (told.length > 0) await tx.rows(postpone, [changes(told)])
    const overtaken = locked.filter((row) => row.overtaken)
    if (overtaken.length > 0) await tx.rows(drop, [overtaken.map(({ id }) => id)])
    const due = locked.filter((row) => !isTold(row, now) && !row.overtaken)
    if (due.length === 0) return { found, free: [] }
    const { free, early } = await byPairSlots(tx, due, now)
    if (early.length > 0) await tx.rows(postpone, [changes(early)])
    if (free.length === 0) return { found, free: [] }
    const lease = randomUUID()
    await tx.rows(claim, [free.map(({ id }) => id), now, later(now, SUBMIT_LEASE_MS), lease])
    await tx.rows(writePaces, [changes(newPaces(senders, free, now))])
    const origins = new Map(senders.map((sender) => [sender.sender_id, origin(parts, sender)]))
    return { found, free: free.map((row) => claimed(row, origins.get(row.sender_id), lease, now)) }
  })
}

/** What became of its open attempt is stored already and only not read yet: to send it again would be once too often. */
const isTold = ({ report_waits, attempted_at }: DueRow, now: Date): boolean =>
  report_waits && attempted_at !== null && now.getTime() - attempted_at.getTime() < REPORT_WAIT_MOST_MS

const DUE_COLUMNS =
  'id, workspace_id, kind, sender_id, recipient, template_name, template_language, code, content, confirmation_id, check_kind, purpose, created_at, submit_by, lease, attempts, attempted_at, unknown_outcomes, last_failure_code'

type SenderRow = {
  sender_id: string
  /** Of what is due. */
  priorities: number[]
  workspace_id: string
  account_id: string
  phone_number_id: string
  throughput: string | null
  slots: number[]
  slot_sends: number[]
  hold_step: number
  waba_id: string
  graph_url: string
  access_token: Buffer
}

/**
 * A loose index scan: one probe per sender and priority that has waiting messages, however many those are. Who is held,
 * paused or without a working token is left out; its messages wait until that changes or their window closes.
 */
const lockSendersWithWork: Statement<SenderRow> = statement(
  'lock_senders_with_work',
  `with recursive waiting as (
     (select sender_id, priority, due_at from messages where due_at is not null order by sender_id, priority, due_at limit 1)
     union all
     select n.sender_id, n.priority, n.due_at from waiting w cross join lateral (
       select m.sender_id, m.priority, m.due_at from messages m
       where m.due_at is not null and (m.sender_id, m.priority) > (w.sender_id, w.priority)
       order by m.sender_id, m.priority, m.due_at limit 1) n
   )
   select p.sender_id, d.priorities, s.workspace_id, s.account_id, s.phone_number_id, s.throughput, to_jsonb(p.slots) as slots, p.slot_sends, p.hold_step,
          a.waba_id, a.graph_url, a.access_token
   from (
     select sender_id, array_agg(priority) as priorities from waiting where due_at <= $1 group by sender_id order by sender_id) d
   cross join lateral (
     select * from sender_pace p
     where p.sender_id = d.sender_id and (p.held_until is null or p.held_until <= $1)
     limit 1 for no key update skip locked) p
   cross join lateral (select * from senders s where s.id = d.sender_id and s.paused_at is null limit 1) s
   cross join lateral (
     select * from provider_accounts a
     where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a`,
)

/** After a hold one message finds out whether it is over for all. */
const roomOf = (row: SenderRow, now: Date): number =>
  Math.min(roomNow(pace(row), sendsPerSecond(row.throughput), now), row.hold_step > 0 ? 1 : Number.POSITIVE_INFINITY)

const pace = (row: SenderRow): SenderPace => ({ slots: row.slots, slotSends: row.slot_sends })

const PRIORITIES = [0, 1]

type Room = { room: number; now: Date }

/** The codes of all senders first: what they leave of the room is for everything else. */
async function lockDue(tx: Sql, senders: SenderRow[], { room, now }: Room): Promise<DueRow[]> {
  const locked: DueRow[] = []
  for (const priority of PRIORITIES) {
    const waiting = senders
      .filter(({ priorities }) => priorities.includes(priority))
      .map((row) => ({
        sender_id: row.sender_id,
        room: roomOf(row, now) - locked.filter(({ sender_id }) => sender_id === row.sender_id).length,
      }))
      .filter((each) => each.room > 0)
    const left = room - locked.length
    if (waiting.length === 0 || left === 0) continue
    locked.push(...(await tx.rows(lockDueMessages, [batch(shareRoom(waiting, left)), now, priority])))
  }
  return locked
}

type Share = { sender_id: string; room: number }

/**
 * Everybody gets an equal part of the room first; what one does not need, the next ones may take. With less room than
 * senders chance says who gets it: in any fixed order the same ones would get it each time.
 */
function shareRoom(able: Share[], room: number): Share[] {
  const part = Math.ceil(room / able.length)
  const inTurn = able
    .map((each) => ({ ...each, needs: Math.min(each.room, part), lot: Math.random() }))
    .sort((one, other) => one.needs - other.needs || one.lot - other.lot)
  let left = room
  return inTurn.map((each, index) => {
    const share = Math.min(each.room, Math.ceil(left / (inTurn.length - index)))
    left -= share
    return { sender_id: each.sender_id, room: share }
  })
}

type DueRow = {
  id: string
  workspace_id: string
  sender_id: string
  recipient: string
  kind: MessageKind
  template_name: string | null
  template_language: string | null
  components: TemplateComponent[] | null
  content: OutgoingContent | null
  confirmation_id: string | null
  check_kind: Check | null
  purpose: Purpose | null
  code: Buffer | null
  created_at: Date
  submit_by: Date
  lease: string | null
  attempts: number
  attempted_at: Date | null
  unknown_outcomes: number
  last_failure_code: FailureCode | null
  report_waits: boolean
  /** It waited so long that the customer has answered what it asks for, or can't any more. */
  overtaken: boolean
}

const CONFIRMATION_STATUS =
  '(select c.status from confirmations c where c.workspace_id = m.workspace_id and c.id = m.confirmation_id)'
const REFUSAL_STATUS =
  '(select f.status from refusal_checks f where f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id)'

/** Of one priority, of each sender what is due longest. */
const lockDueMessages: Statement<DueRow> = statement(
  'lock_due_messages',
  `select m.*, (
     select t.components from templates t
     where m.kind = 'otp' and t.workspace_id = m.workspace_id and t.name = m.template_name and t.language = m.template_language and t.account_id = (
       select s.account_id from senders s where s.workspace_id = m.workspace_id and s.id = m.sender_id)) as components,
     (select true from (
        -- fenced: by the message alone, never by reading all reports once
        select workspace_id, outcome from provider_reports
        where m.attempted_at is not null and message_id = m.id offset 0) p
      where p.workspace_id = m.workspace_id and p.outcome = 'waiting' limit 1) is not null as report_waits,
     m.attempted_at is null and case
       when m.purpose = 'reminder' and m.check_kind = 'confirmation' then ${CONFIRMATION_STATUS} <> 'awaiting_answer'
       when m.purpose = 'reminder' then ${REFUSAL_STATUS} <> 'awaiting_answer'
       when m.purpose in ('day_question', 'time_question') then ${CONFIRMATION_STATUS} <> 'rescheduling'
       when m.purpose = 'reasons_question' then ${REFUSAL_STATUS} not in ('awaiting_reason', 'awaiting_note')
       when m.purpose = 'note_prompt' then ${REFUSAL_STATUS} <> 'awaiting_note'
       else false end as overtaken
   from jsonb_to_recordset($1) as r (sender_id uuid, room int)
   cross join lateral (
     select ${DUE_COLUMNS} from messages
     where sender_id = r.sender_id and priority = $3 and due_at <= $2
     order by due_at limit r.room for no key update skip locked) m`,
)

const claim = statement(
  'claim_messages',
  // by id alone: lockDueMessages has just read and locked these rows
  `update messages
   set status = case when status = 'queued' then 'sending' else status end,
       due_at = $3, lease = $4, attempts = attempts + 1, attempted_at = $2,
       unknown_outcomes = unknown_outcomes + (attempted_at is not null)::int
   where id = any ($1::uuid[])`,
)

const postpone = statement(
  'postpone_messages',
  // by id alone: lockDueMessages has just read and locked these rows
  `update messages m set due_at = ($1::jsonb -> m.id::text ->> 'due_at')::timestamptz
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

/** It stays "queued" and is due no more: nothing failed, and nothing is sent that would make no sense to the customer. */
const drop = statement(
  'drop_overtaken_messages',
  // by id alone: lockDueMessages has just read and locked these rows
  `update messages set due_at = null where id = any ($1::uuid[])`,
)

type Pair = { sender_id: string; recipient: string; rows: DueRow[] }
type PairSlot = { sender_id: string; recipient: string; free_at: Date }
type Early = { id: string; due_at: Date }

/** Takes a regular slot for each message, and tells those whose pair has used up its burst from the others. */
async function byPairSlots(tx: Sql, due: DueRow[], now: Date): Promise<{ free: DueRow[]; early: Early[] }> {
  const pairs = pairsOf(due)
  const wanted = [...pairs.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1)) // one order: no two claims wait in a circle
    .map(([, { sender_id, recipient, rows }]) => ({
      sender_id,
      recipient,
      interval_ms: rows.length * PAIR_INTERVAL_MS,
    }))
  const slots = await tx.rows(takePairSlots, [batch(wanted), now])
  const early: Early[] = []
  const unused: { sender_id: string; recipient: string; interval_ms: number }[] = []
  for (const { sender_id, recipient, free_at } of slots) {
    const rows = pairs.get(pairKey(sender_id, recipient))?.rows ?? []
    const firstSlot = free_at.getTime() - rows.length * PAIR_INTERVAL_MS
    const late = rows
      .map(({ id }, index) => ({ id, due_at: new Date(firstSlot + (index - PAIR_BURST + 1) * PAIR_INTERVAL_MS) }))
      .filter(({ due_at }) => due_at > now)
    if (late.length === 0) continue
    early.push(...late)
    unused.push({ sender_id, recipient, interval_ms: late.length * PAIR_INTERVAL_MS })
  }
  if (early.length === 0) return { free: due, early }
  await tx.rows(returnPairSlots, [batch(unused)])
  const ids = new Set(early.map(({ id }) => id))
  return { free: due.filter(({ id }) => !ids.has(id)), early }
}

function pairsOf(due: DueRow[]): Map<string, Pair> {
  const pairs = new Map<string, Pair>()
  for (const row of due) {
    const key = pairKey(row.sender_id, row.recipient)
    const pair = pairs.get(key)
    if (pair) pair.rows.push(row)
    else pairs.set(key, { sender_id: row.sender_id, recipient: row.recipient, rows: [row] })
  }
  return pairs
}

const pairKey = (senderId: string, recipient: string): string => `${senderId} ${recipient}`

const takePairSlots: Statement<PairSlot> = statement(
  'take_pair_slots',
  `insert into pair_pace as p (sender_id, recipient, free_at)
   select w.sender_id, w.recipient, $2::timestamptz + w.interval_ms * interval '1 millisecond'
   from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
   on conflict (sender_id, recipient) do update
   set free_at = greatest(p.free_at, $2::timestamptz) + (excluded.free_at - $2::timestamptz)
   returning p.sender_id, p.recipient, p.free_at`,
)

const returnPairSlots = statement(
  'return_pair_slots',
  `update pair_pace p set free_at = p.free_at - w.interval_ms * interval '1 millisecond'
   from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
   where p.sender_id = w.sender_id and p.recipient = w.recipient`,
)

function newPaces(senders: SenderRow[], rows: DueRow[], now: Date) {
  const sends = new Map<string, number>()
  for (const row of rows) sends.set(row.sender_id, (sends.get(row.sender_id) ?? 0) + 1)
  return senders.flatMap((sender) => {
    const count = sends.get(sender.sender_id)
    if (!count) return []
    const { slots, slotSends } = withSends(pace(sender), count, now)
    const held_until = sender.hold_step > 0 ? later(now, PROBE_MOST_MS) : null
    return [{ id: sender.sender_id, slots, slot_sends: slotSends, held_until }]
  })
}

const writePaces = statement(
  'write_sender_paces',
  `update sender_pace p set (slots, slot_sends, held_until) = (
     select r.slots, r.slot_sends, coalesce(r.held_until, p.held_until)
     from jsonb_to_record($1::jsonb -> p.sender_id::text) as r (slots bigint[], slot_sends int[], held_until timestamptz))
   where p.sender_id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

type Origin = Pick<Claimed, 'accountId' | 'account' | 'phoneNumberId' | 'holdStep'>

const origin = ({ seal }: Pick<Parts, 'seal'>, sender: SenderRow): Origin => ({
  accountId: sender.account_id,
  account: {
    wabaId: sender.waba_id,
    graphUrl: sender.graph_url,
    accessToken: seal.open(sender.access_token, `account:${sender.account_id}:access_token`),
  },
  phoneNumberId: sender.phone_number_id,
  holdStep: sender.hold_step,
})

function claimed(row: DueRow, from: Origin | undefined, lease: string, now: Date): Claimed {
  if (!from) throw new Error(`message ${row.id} was claimed for a sender that was not locked`)
  return {
    ...from,
    id: row.id,
    workspaceId: row.workspace_id,
    senderId: row.sender_id,
    recipient: row.recipient,
    kind: row.kind,
    template: { name: row.template_name ?? '', language: row.template_language ?? '', components: row.components },
    content: row.content,
    conversation:
      row.confirmation_id && row.check_kind && row.purpose
        ? { confirmationId: row.confirmation_id, check: row.check_kind, purpose: row.purpose }
        : null,
    code: row.code,
    createdAt: row.created_at,
    submitBy: row.submit_by,
    lease,
    claimedAt: now,
    attempts: row.attempts + 1,
    unknownOutcomes: row.unknown_outcomes,
    lastFailureCode: row.last_failure_code,
    openAttempt: row.attempted_at && { startedAt: row.attempted_at, interrupted: row.lease !== null },
  }
}
