import { randomUUID } from 'node:crypto'
import { SECOND_MS, later } from '../clock.ts'
import { type Sql, type Statement, batch, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type { FailureCode, ProviderAccount, TemplateComponent } from '../providers/provider.ts'
import { SEND_TIMEOUT_MS } from '../providers/whatsapp/send.ts'
import { UNKNOWN_WAIT_MS } from './decide.ts'
import { PAIR_BURST, PAIR_INTERVAL_MS, type SenderPace, roomNow, sendsPerSecond, withSends } from './pace.ts'

/**
 * How long a claimed message is one process's alone. When it ends, the attempt is over (SEND_TIMEOUT_MS) and the wait for
 * a report that tells its outcome has passed, so that whoever claims the message next may send it once more.
 */
export const SUBMIT_LEASE_MS = SEND_TIMEOUT_MS + UNKNOWN_WAIT_MS + 5 * SECOND_MS

export type Claimed = {
  id: string
  workspaceId: string
  senderId: string
  accountId: string
  account: ProviderAccount
  phoneNumberId: string
  recipient: string
  template: { name: string; language: string; components: TemplateComponent[] | null }
  /** Sealed. */
  code: Buffer | null
  createdAt: Date
  submitBy: Date
  lease: string
  claimedAt: Date
  /** This claim's attempt included. */
  attempts: number
  unknownOutcomes: number
  lastFailureCode: FailureCode | null
  /** Set when the attempt before this one left no outcome behind. */
  openAttempt: { startedAt: Date; interrupted: boolean } | null
  holdStep: number
}

/**
 * Takes what is due, at the most `room` messages: for each sender as many as its pace allows, one-time codes before
 * everything else. Two nodes share one pace, and never claim the same sender in the same moment.
 */
export async function claimMessages(parts: Pick<Parts, 'db' | 'clock' | 'seal'>, room: number): Promise<Claimed[]> {
  return parts.db.transaction(async (tx) => {
    const now = parts.clock.now()
    const senders = await tx.rows(lockSendersWithWork, [now])
    if (senders.length === 0) return []
    const shares = shareRoom(senders, room, now)
    const rows = await tx.rows(claim, [batch(shares), now, later(now, SUBMIT_LEASE_MS), randomUUID()])
    if (rows.length === 0) return []
    const early = await beforeTheirPairsSlot(tx, rows, now)
    if (early.length > 0) await tx.rows(postpone, [batch(early)])
    const kept = early.length === 0 ? rows : rows.filter((row) => !early.some(({ id }) => id === row.id))
    await tx.rows(writePaces, [batch(newPaces(senders, kept, now))])
    const origins = new Map(senders.map((sender) => [sender.sender_id, origin(parts, sender)]))
    return kept.map((row) => claimed(row, origins.get(row.sender_id), now))
  })
}

type SenderRow = {
  sender_id: string
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
   select p.sender_id, s.workspace_id, s.account_id, s.phone_number_id, s.throughput, p.slots, p.slot_sends, p.hold_step,
          a.waba_id, a.graph_url, a.access_token
   from (select distinct sender_id from waiting where due_at <= $1) d
   join sender_pace p on p.sender_id = d.sender_id
   join senders s on s.id = p.sender_id
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where (p.held_until is null or p.held_until <= $1) and s.paused_at is null and a.status = 'connected'
   order by p.sender_id
   for no key update of p skip locked`,
)

const pace = (row: SenderRow): SenderPace => ({ slots: row.slots, slotSends: row.slot_sends })

/** Everybody gets an equal part of the room first; what one does not need, the next ones may take. */
function shareRoom(senders: SenderRow[], room: number, now: Date): { sender_id: string; room: number }[] {
  const able = senders
    .map((row) => ({ sender_id: row.sender_id, room: roomNow(pace(row), sendsPerSecond(row.throughput), now) }))
    .filter((each) => each.room > 0)
    .sort((one, other) => one.room - other.room)
  let left = room
  return able.map((each, index) => {
    const share = Math.min(each.room, Math.ceil(left / (able.length - index)))
    left -= share
    return { sender_id: each.sender_id, room: share }
  })
}

type ClaimedRow = {
  id: string
  workspace_id: string
  sender_id: string
  recipient: string
  template_name: string
  template_language: string
  components: TemplateComponent[] | null
  code: Buffer | null
  created_at: Date
  submit_by: Date
  lease: string
  attempts: number
  unknown_outcomes: number
  last_failure_code: FailureCode | null
  open_attempt_at: Date | null
  open_lease: string | null
}

const claim: Statement<ClaimedRow> = statement(
  'claim_messages',
  `update messages m
   set status = case when m.status = 'queued' then 'sending' else m.status end,
       due_at = $3, lease = $4, attempts = m.attempts + 1, attempted_at = $2
   from (
     select c.* from jsonb_to_recordset($1) as s (sender_id uuid, room int)
     cross join lateral (
       select * from (
         select id, due_at, attempted_at, lease from messages
         where sender_id = s.sender_id and priority = 0 and due_at <= $2
         order by due_at limit s.room for update skip locked) first
       union all
       select * from (
         select id, due_at, attempted_at, lease from messages
         where sender_id = s.sender_id and priority = 1 and due_at <= $2
         order by due_at limit s.room for update skip locked) second
       limit s.room) c
   ) picked
   where m.id = picked.id
   returning m.id, m.workspace_id, m.sender_id, m.recipient, m.template_name, m.template_language, m.code, m.created_at,
     m.submit_by, m.lease, m.attempts, m.unknown_outcomes, m.last_failure_code,
     picked.attempted_at as open_attempt_at, picked.lease as open_lease,
     (select t.components from senders s
      join templates t on t.workspace_id = s.workspace_id and t.account_id = s.account_id
        and t.name = m.template_name and t.language = m.template_language
      where s.workspace_id = m.workspace_id and s.id = m.sender_id) as components`,
)

type PairSlot = { sender_id: string; recipient: string; free_at: Date }
type Early = Pick<ClaimedRow, 'id' | 'workspace_id' | 'open_attempt_at' | 'open_lease'> & { due_at: Date }

/** Takes a regular slot for each claimed message and finds those whose pair has used up its burst. */
async function beforeTheirPairsSlot(tx: Sql, rows: ClaimedRow[], now: Date): Promise<Early[]> {
  const pairs = new Map<string, { sender_id: string; recipient: string; rows: ClaimedRow[] }>()
  for (const row of rows) {
    const key = `${row.sender_id} ${row.recipient}`
    const pair = pairs.get(key) ?? { sender_id: row.sender_id, recipient: row.recipient, rows: [] }
    pair.rows.push(row)
    pairs.set(key, pair)
  }
  const wanted = [...pairs.values()]
    .map((pair) => ({
      sender_id: pair.sender_id,
      recipient: pair.recipient,
      interval_ms: pair.rows.length * PAIR_INTERVAL_MS,
    }))
    .sort((one, other) => (one.sender_id + one.recipient < other.sender_id + other.recipient ? -1 : 1))
  const slots = await tx.rows(takePairSlots, [batch(wanted), now])
  const early: Early[] = []
  const unused: { sender_id: string; recipient: string; interval_ms: number }[] = []
  for (const slot of slots) {
    const pair = pairs.get(`${slot.sender_id} ${slot.recipient}`)
    if (!pair) continue
    const firstSlot = slot.free_at.getTime() - pair.rows.length * PAIR_INTERVAL_MS
    const late = pair.rows
      .map((row, index) => ({
        ...asEarly(row),
        due_at: new Date(firstSlot + (index - PAIR_BURST + 1) * PAIR_INTERVAL_MS),
      }))
      .filter(({ due_at }) => due_at > now)
    if (late.length === 0) continue
    early.push(...late)
    unused.push({ sender_id: pair.sender_id, recipient: pair.recipient, interval_ms: late.length * PAIR_INTERVAL_MS })
  }
  if (unused.length > 0) await tx.rows(returnPairSlots, [batch(unused)])
  return early
}

const asEarly = ({ id, workspace_id, open_attempt_at, open_lease }: ClaimedRow) => ({
  id,
  workspace_id,
  open_attempt_at,
  open_lease,
})

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

/** Puts a claimed message back as if it had not been claimed, until its slot. */
const postpone = statement(
  'postpone_messages',
  `update messages m
   set due_at = r.due_at, lease = r.open_lease, attempts = m.attempts - 1, attempted_at = r.open_attempt_at,
       status = case when m.status = 'sending' and r.open_attempt_at is null then 'queued' else m.status end
   from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, due_at timestamptz, open_attempt_at timestamptz, open_lease uuid)
   where m.workspace_id = r.workspace_id and m.id = r.id`,
)

function newPaces(senders: SenderRow[], rows: ClaimedRow[], now: Date) {
  const sends = new Map<string, number>()
  for (const row of rows) sends.set(row.sender_id, (sends.get(row.sender_id) ?? 0) + 1)
  return senders.flatMap((sender) => {
    const count = sends.get(sender.sender_id)
    if (!count) return []
    const { slots, slotSends } = withSends(pace(sender), count, now)
    return [{ sender_id: sender.sender_id, slots, slot_sends: slotSends }]
  })
}

const writePaces = statement(
  'write_sender_paces',
  `update sender_pace p set slots = r.slots, slot_sends = r.slot_sends
   from jsonb_to_recordset($1) as r (sender_id uuid, slots bigint[], slot_sends int[])
   where p.sender_id = r.sender_id`,
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

function claimed(row: ClaimedRow, from: Origin | undefined, now: Date): Claimed {
  if (!from) throw new Error(`message ${row.id} was claimed for a sender that was not locked`)
  return {
    ...from,
    id: row.id,
    workspaceId: row.workspace_id,
    senderId: row.sender_id,
    recipient: row.recipient,
    template: { name: row.template_name, language: row.template_language, components: row.components },
    code: row.code,
    createdAt: row.created_at,
    submitBy: row.submit_by,
    lease: row.lease,
    claimedAt: now,
    attempts: row.attempts,
    unknownOutcomes: row.unknown_outcomes,
    lastFailureCode: row.last_failure_code,
    openAttempt: row.open_attempt_at && { startedAt: row.open_attempt_at, interrupted: row.open_lease !== null },
  }
}
