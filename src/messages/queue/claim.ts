import type { CodedText } from '../../../locales/text.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, changes, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import { SEND_TIMEOUT_MS } from '../../providers/provider.ts'
import { type UnreadableAccount, markCredentialsUnreadable } from '../../accounts/unreadable.ts'
import { type LockSendersParts, type Origin, lockSenders, writePaces } from './lock-senders.ts'
import type { DueOfConversation, Subscribers } from '../subscribers.ts'
import { UNKNOWN_WAIT_MS } from './decide.ts'
import { type Lease, type LeasedChange, changeLeased, preventLeases, unlockedItems } from '../../runtime/jobs/leases.ts'
import type { MessageStatus } from '../status.ts'
import { type DueMessage, lockDue } from './lock-due.ts'
import { type PostponedMessage, takePairSlots } from './pair-slots.ts'

/**
 * How long only one process may send a claimed message. At its end the attempt is over (SEND_TIMEOUT_MS), and so is the
 * wait for a report of its outcome: the process that claims the message next may send it again.
 */
export const SUBMIT_LEASE_MS = SEND_TIMEOUT_MS + UNKNOWN_WAIT_MS + 5 * SECOND_MS

/** While the report of an open attempt is stored but unread, its message is checked again this often. */
const UNREAD_REPORT_RECHECK_MS = 2 * SECOND_MS
export type ClaimedMessage = Origin & DueMessage & { lease: string; claimedAt: Date }

/** After this many, messages that may not go are left to the next poll. */
const MAX_CLAIM_TRIES = 50

/**
 * Claims up to `capacity` due messages: for each sender as many as its pace allows, the one-time codes of all senders
 * before everything else. Tries again if none of the due messages may go: a half-open breaker lets one message through,
 * and others may wait behind it. The claim gets `lease`, which must be begun before anything is sent.
 */
export async function claimMessages(
  parts: ClaimParts,
  capacity: number,
  { lease = newId(), afterOutage = false }: Partial<ClaimOptions> = {},
): Promise<ClaimedRow> {
  for (let tries = 0; tries < MAX_CLAIM_TRIES; tries += 1) {
    const { hadDue, unreadable, ...claimed } = await claimOnce(parts, capacity, { lease, afterOutage })
    // After the commit: the transaction of a claim locks no account.
    for (const account of unreadable) await markCredentialsUnreadable(parts, account)
    if (!hadDue || claimed.messages.length > 0) return claimed
  }
  return { messages: [], isIdle: false }
}

type ClaimOptions = {
  lease: string
  /** No report could be stored until now: open attempts wait for theirs before they are made again. */
  afterOutage: boolean
}

export type ClaimedRow = {
  messages: ClaimedMessage[]
  /** No sender that may send has due messages. */
  isIdle: boolean
}

type ClaimParts = LockSendersParts &
  Pick<Parts, 'db' | 'clock' | 'log' | 'live' | 'node'> & {
    subscribers: Pick<Subscribers, 'superseded'>
  }

type ClaimResult = ClaimedRow & { hadDue: boolean; unreadable: UnreadableAccount[] }

/** Claims the due messages that may go now. The others are postponed or cancelled, so they are no longer due. */
async function claimOnce(
  parts: ClaimParts,
  capacity: number,
  { lease, afterOutage }: ClaimOptions,
): Promise<ClaimResult> {
  const { written, ...result } = await parts.db.transaction(async (tx) => {
    const now = parts.clock.now()
    const { senders, unreadable } = await lockSenders(tx, parts, now)
    const due = await lockDue(tx, senders, { capacity, now, leaseMs: SUBMIT_LEASE_MS, afterOutage })
    const sendable = await removeUnsendable(tx, parts, due, now)
    const found = { isIdle: senders.length === 0, unreadable }
    if (sendable.length === 0) return { ...found, hadDue: due.length > 0, messages: [], written: undefined }
    const interrupted = sendable.filter(({ endedLease }) => endedLease !== null)
    if (interrupted.length > 0) await recordInterrupted(tx, interrupted, now)
    const ids = sendable.map(({ id }) => id)
    // The commit follows without waiting for the responses: after a failure the server rolls back instead.
    const written = Promise.all([
      tx.rows(claim, [ids, now, later(now, SUBMIT_LEASE_MS), lease, parts.node.id]),
      writePaces(tx, senders, sendable, now),
    ])
    written.catch(() => {})
    const origins = new Map(senders.map(({ id, origin }) => [id, origin]))
    const messages = sendable.flatMap((message) => {
      const origin = origins.get(message.senderId)
      return origin ? [{ ...message, ...origin, lease, claimedAt: now }] : []
    })
    return { ...found, hadDue: true, messages, written }
  })
  await written
  return result
}

/** Postpones, cancels or gives back the locked messages that may not go now, and returns the others. */
async function removeUnsendable(
  tx: Sql,
  { subscribers }: ClaimParts,
  locked: readonly DueMessage[],
  now: Date,
): Promise<DueMessage[]> {
  const recheckAt = later(now, UNREAD_REPORT_RECHECK_MS)
  const reportedUntil = later(now, UNKNOWN_WAIT_MS)
  const superseded = await subscribers.superseded(tx, locked.flatMap(ofConversation))
  const postponed: PostponedMessage[] = []
  const unbegun: Lease[] = []
  const due: DueMessage[] = []
  for (const message of locked) {
    const { id, hasUnreadReport, unbegunLease, missedReports } = message
    if (hasUnreadReport) postponed.push({ id, due_at: recheckAt })
    // It stays "queued" (isSuperseded): nothing failed, and the message would make no sense to the customer.
    else if (superseded.has(id)) postponed.push({ id, due_at: null })
    else if (unbegunLease) unbegun.push({ id: unbegunLease, itemIds: [id] })
    // It keeps its lease, as in awaitReports.
    else if (missedReports) postponed.push({ id, due_at: reportedUntil })
    else due.push(message)
  }
  await changeLeased(tx, giveBackMessages, await onlyPrevented(tx, unbegun), now)
  const { sendable, late } = await takePairSlots(tx, due, now)
  postponed.push(...late)
  if (postponed.length > 0) await tx.rows(postpone, [changes(postponed)])
  return sendable
}

/** The provider may already have a message with an open attempt: it is not superseded. */
const ofConversation = ({ id, workspaceId, conversation, followsOpenAttempt }: DueMessage): DueOfConversation[] =>
  conversation && !followsOpenAttempt ? [{ id, workspaceId, conversation }] : []

/** Whether a claim found that the message's conversation had moved on, so it is not sent. */
export const isSuperseded = ({
  status,
  dueAt,
  quarantinedAt,
}: {
  status: MessageStatus
  dueAt: Date | null
  quarantinedAt: Date | null
}): boolean => status === 'queued' && dueAt === null && quarantinedAt === null

/** Those that began since they were read stay due: the next claim finds an interrupted attempt. */
async function onlyPrevented(tx: Sql, leases: readonly Lease[]): Promise<Lease[]> {
  if (leases.length === 0) return []
  const prevented = await tx.rows(preventLeases, [[...new Set(leases.map(({ id }) => id))]])
  return leases.filter((lease) => prevented.some(({ id }) => id === lease.id))
}

const claim = statement(
  'claim_messages',
  // by id only: lockDue has just read and locked these rows
  `with taken as (
     insert into leases (id, node_id, kind, item_ids, taken_at) values ($4, $5, 'messages', $1, $2))
   update messages
   set status = case when status = 'queued' then 'sending' else status end,
       due_at = $3, lease = $4, attempts = attempts + 1, attempted_at = $2,
       unknown_outcomes = unknown_outcomes + (attempted_at is not null)::int
   where id = any ($1::uuid[])`,
)

const postpone = statement(
  'postpone_messages',
  // by id only: lockDue has just read and locked these rows
  `update messages m set due_at = ($1::jsonb -> m.id::text ->> 'due_at')::timestamptz
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

/** Messages for which no request was or can be made are due again, as if they had not been claimed. */
export const giveBackMessages: LeasedChange = statement(
  'give_back_messages',
  // the start of the previous attempt, if it has no outcome
  `update messages m
   set (status, due_at, lease, attempts, attempted_at, unknown_outcomes) = (
     select case when m.status = 'sending' and before.started_at is null then 'queued' else m.status end,
            $3::timestamptz, null::uuid, m.attempts - 1, before.started_at,
            m.unknown_outcomes - (before.started_at is not null)::int
     from (select (
       select a.started_at from message_attempts a
       where a.workspace_id = m.workspace_id and a.message_id = m.id and a.attempt = m.attempts - 1
         and a.outcome = 'unknown') as started_at) before)
   where m.id = ${unlockedItems('messages')}
   returning m.id`,
)

/**
 * For messages whose process is dead: a report has until $3 to show whether the provider accepted them. They keep the
 * lease, so that a process that is alive after all can still store its outcomes until then.
 */
export const awaitReports: LeasedChange = statement(
  'await_reports_of_messages',
  `update messages m set due_at = $3 where m.id = ${unlockedItems('messages')} returning m.id`,
)

const INTERRUPTED: CodedText = { code: 'messages.interrupted' }

/** Records attempts whose process ended before it stored their outcome. The caller has locked the messages. */
export const recordInterrupted = async (tx: Sql, messages: readonly { id: string }[], now: Date): Promise<void> =>
  void (await tx.rows(insertInterrupted, [messages.map(({ id }) => id), now]))

const insertInterrupted = statement(
  'record_interrupted_attempts',
  // by id only: the caller has just read and locked these rows
  `insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, detail)
   select workspace_id, id, attempts, attempted_at, $2, 'unknown', '${JSON.stringify(INTERRUPTED)}'::jsonb
   from messages where id = any ($1::uuid[]) and lease is not null and attempted_at is not null
   on conflict do nothing`,
)
