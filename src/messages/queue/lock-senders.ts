import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, batch, changes, newestFirst, statement } from '../../lib/db/pool.ts'
import { FROM_BEGINNING } from '../../runtime/jobs/search-start.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type ProviderAccount, SEND_TIMEOUT_MS } from '../../providers/provider.ts'
import { type Seal, UnsealError } from '../../lib/seal.ts'
import { tables } from '../../operations/columns.ts'
import type { UnreadableAccount } from '../../accounts/unreadable.ts'
import { paceAfter, paceCapacity } from './pace.ts'

/** How long the trial message of a half-open breaker may take: its attempt, and the time to store its outcome. */
export const MAX_TRIAL_MS = SEND_TIMEOUT_MS + 2 * SECOND_MS

/** A sender with due messages. Its pace is locked: two nodes share it and never claim for one sender at the same time. */
export type LockedSender = {
  id: string
  /** The priorities of its due messages, each with the time at which its first message became due. */
  due: { priority: number; firstDueAt: string }[]
  /** How many of its messages may go now. */
  capacity: number
  origin: Origin
}

/** What is needed to send any of the sender's messages. */
export type Origin = {
  accountId: string
  account: ProviderAccount
  phoneNumberId: string
  /** How often the sender's circuit breaker has opened in a row; 0: it is closed. */
  breakerStep: number
}

export type LockSendersParts = Pick<Parts, 'seal' | 'searchStarts'>

/** Locks the senders that can send. Those of `unreadable` accounts, whose access token does not open, are left out. */
export async function lockSenders(
  tx: Sql,
  { seal, searchStarts = FROM_BEGINNING }: LockSendersParts,
  now: Date,
): Promise<{ senders: LockedSender[]; unreadable: UnreadableAccount[] }> {
  const { since, older } = searchStarts.messages
  const senders: LockedSender[] = []
  const unreadable = new Map<string, UnreadableAccount>()
  for (const row of await tx.rows(lockSendersWithWork, [now, since, batch(older)])) {
    const { workspaceId, accountId, sealedToken, breakerStep, capacity } = row
    const origin = originOf(seal, row)
    if (!origin) unreadable.set(accountId, { workspaceId, accountId, sealedToken })
    else
      senders.push({
        ...row,
        capacity: breakerStep > 0 ? Math.min(capacity, 1) : capacity, // half-open: one trial message
        origin,
      })
  }
  return { senders, unreadable: [...unreadable.values()] }
}

/** An origin before its access token is opened. */
export type SealedOrigin = Omit<Origin, 'account'> & Omit<ProviderAccount, 'accessToken'> & { sealedToken: Buffer }

/** SQL: its columns of the sender `s` and the account `a`. */
export const ORIGIN_COLUMNS = `s.account_id as "accountId", s.phone_number_id as "phoneNumberId", a.waba_id as "wabaId",
     a.graph_url as "graphUrl", a.access_token as "sealedToken"`

/** Returns undefined if the access token does not open. */
export function originOf(
  seal: Pick<Seal, 'open'>,
  { accountId, wabaId, graphUrl, phoneNumberId, breakerStep, sealedToken }: SealedOrigin,
): Origin | undefined {
  try {
    const accessToken = seal.open(sealedToken, tables.provider_accounts.sealed.access_token(accountId))
    return { accountId, account: { wabaId, graphUrl, accessToken }, phoneNumberId, breakerStep }
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

type SenderRow = Omit<LockedSender, 'origin'> & SealedOrigin & UnreadableAccount

/** SQL: a loose index scan, with one probe per sender and priority with waiting messages, however many those are. */
const firstWaiting = (name: string, since: string): string => `${name} as (
     (select sender_id, priority, due_at from messages where due_at >= ${since} order by sender_id, priority, due_at limit 1)
     union all
     select n.sender_id, n.priority, n.due_at from ${name} w cross join lateral (
       select m.sender_id, m.priority, m.due_at from messages m
       where m.due_at >= ${since} and (m.sender_id, m.priority) > (w.sender_id, w.priority)
       order by m.sender_id, m.priority, m.due_at limit 1) n
   )`

/** SQL: `waiting`, the first waiting message of each sender and priority. */
export const WAITING = `with recursive ${firstWaiting('waiting', "'-infinity'")}`

/** SQL: the same, found by a search that begins at a SearchStart. */
export const waitingSince = (
  since: string,
  older: string,
): string => `with recursive ${firstWaiting('recent_waiting', since)},
   waiting as (
     select sender_id, priority, min(due_at) as due_at from (
       select * from recent_waiting
       union all
       select m.* from jsonb_to_recordset(${older}) as o (sender_id uuid, priority smallint, due_at timestamptz)
       cross join lateral (
         select sender_id, priority, due_at from messages
         where sender_id = o.sender_id and priority = o.priority and due_at between o.due_at and ${since}
         order by due_at limit 1) m) first_waiting
     group by sender_id, priority
   )`

type LockSendable = { senderId: string; now: string; when?: string }

/**
 * SQL: joins a sender to its row `s`, to its pace `p`, which it locks, and to its account `a`. Skips senders that are paused, have an open
 * breaker or no working token: their messages wait until that changes or their window closes. `when`: what else must hold for `s` and `p`.
 */
export function lockSendable({ senderId, now, when = 'true' }: LockSendable): string {
  const isNewest = newestFirst('p.sender_id', senderId)
  const isSendable = `(p.breaker_open_until is null or p.breaker_open_until <= ${now}) and ${when}`
  return `cross join lateral (select * from senders s where s.id = ${senderId} and s.paused_at is null limit 1) s
   -- the newest version alone: after one that is not sendable, the scan below would read all that a long transaction keeps
   cross join lateral (
     select true from (
       select * from sender_pace p where ${isNewest} order by p.sender_id desc limit 1) p
     where ${isSendable}) sendable
   cross join lateral (
     select * from sender_pace p where ${isNewest} and ${isSendable}
     order by p.sender_id desc limit 1 for no key update skip locked) p
   cross join lateral (
     select * from provider_accounts a
     where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a`
}

const lockSendersWithWork = statement<SenderRow>(
  'lock_senders_with_work',
  `${waitingSince('$2', '$3')}
   select p.sender_id as id, d.due, s.workspace_id as "workspaceId", p.breaker_step as "breakerStep",
     ${paceCapacity({ throughput: 's.throughput', now: '$1' })} as capacity, ${ORIGIN_COLUMNS}
   from (
     select sender_id, jsonb_agg(jsonb_build_object('priority', priority, 'firstDueAt', due_at)) as due
     from waiting where due_at <= $1 group by sender_id order by sender_id) d
   ${lockSendable({ senderId: 'd.sender_id', now: '$1' })}`,
)

/** Senders whose circuit breaker is not closed. Pairs are left out: their breakers are part of their pace, and end within minutes. */
export const countBreakers = async (sql: Sql, now: Date): Promise<{ open: number; halfOpen: number }> =>
  (await sql.row(countSenderBreakers, [now])) ?? { open: 0, halfOpen: 0 }

const countSenderBreakers = statement<{ open: number; halfOpen: number }>(
  'count_sender_breakers',
  `select (count(*) filter (where breaker_open_until > $1))::int as open,
     (count(*) filter (where breaker_open_until <= $1))::int as "halfOpen"
   from sender_pace where breaker_step > 0`,
)

/** Counts the sends in the pace of their senders. A trial message keeps the breaker open for the others meanwhile. */
export async function writePaces(
  tx: Sql,
  senders: readonly LockedSender[],
  sent: readonly { senderId: string }[],
  now: Date,
): Promise<void> {
  const sends = Map.groupBy(sent, ({ senderId }) => senderId)
  const paces = senders.flatMap(({ id, origin }) => {
    const count = sends.get(id)?.length
    return count
      ? [{ id, sends: count, ...(origin.breakerStep > 0 && { breaker_open_until: later(now, MAX_TRIAL_MS) }) }]
      : []
  })
  await tx.rows(writeSenderPaces, [changes(paces), now])
}

const writeSenderPaces = statement(
  'write_sender_paces',
  `update sender_pace p
   set (slots, slot_sends) = (${paceAfter({ sends: `($1::jsonb -> p.sender_id::text ->> 'sends')::int`, now: '$2' })}),
     breaker_open_until = coalesce(($1::jsonb -> p.sender_id::text ->> 'breaker_open_until')::timestamptz, p.breaker_open_until)
   -- lockSendersWithWork has locked these rows, so their newest versions cannot change
   where p.ctid = any (array (
     select (
       select ctid from sender_pace where ${newestFirst('sender_id', 'sender.id::uuid')} order by sender_id desc limit 1)
     from jsonb_object_keys($1::jsonb) as sender (id)))`,
)
