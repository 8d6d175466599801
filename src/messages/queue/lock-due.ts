import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { MessageKind, OutgoingContent, TemplateComponent } from '../../providers/provider.ts'
import type { Conversation } from '../conversation.ts'
import { IS_UNBEGUN } from '../../runtime/jobs/leases.ts'
import type { LockedSender } from './lock-senders.ts'

/** A report that cannot be processed is quarantined before that; a longer backlog must not hold codes back. */
const MAX_UNREAD_REPORT_WAIT_MS = 3 * MINUTE_MS

/** Far longer than until the next claim: nothing was claimed meanwhile. */
const MAX_CLAIM_DELAY_MS = 2 * SECOND_MS

/** Of one-time codes. */
export const OTP_PRIORITY = 0
/** 1: everything else. */
const PRIORITIES = [OTP_PRIORITY, 1]

/** Locks up to `capacity` due messages: the codes of all senders first, everything else with what is left. */
export async function lockDue(
  tx: Sql,
  senders: readonly LockedSender[],
  { capacity, now, leaseMs, afterOutage }: { capacity: number; now: Date; leaseMs: number; afterOutage: boolean },
): Promise<DueMessage[]> {
  const oldestUnread = later(now, -MAX_UNREAD_REPORT_WAIT_MS)
  const missedBefore = afterOutage ? now : later(now, -MAX_CLAIM_DELAY_MS)
  const locked: DueMessage[] = []
  for (const priority of PRIORITIES) {
    const ready = senders.flatMap(({ id, capacity, due }) => {
      const used = locked.filter(({ senderId }) => senderId === id).length
      const first = due.find((entry) => entry.priority === priority)
      // Skips older index entries: a long transaction keeps the entries of all messages sent since it began.
      return first && capacity > used
        ? { sender_id: id, first_due_at: first.firstDueAt, capacity: capacity - used }
        : []
    })
    const left = capacity - locked.length
    if (ready.length === 0 || left === 0) continue
    const shares = shareCapacity(ready, left)
    locked.push(
      ...(await tx.rows(lockDueMessages, [batch(shares), now, priority, oldestUnread, missedBefore, leaseMs])),
    )
  }
  return locked
}

type SenderCapacity = { sender_id: string; first_due_at: string; capacity: number }

/**
 * Each sender gets an equal part; what one does not need goes to the next ones. With less capacity than senders the order
 * is random: in any fixed order the same senders would get it each time.
 */
function shareCapacity(senders: readonly SenderCapacity[], total: number): SenderCapacity[] {
  const equalPart = Math.ceil(total / senders.length)
  const ordered = senders
    .map((sender) => ({ ...sender, need: Math.min(sender.capacity, equalPart), random: Math.random() }))
    .sort((a, b) => a.need - b.need || a.random - b.random)
  let left = total
  return ordered.map(({ sender_id, first_due_at, capacity }, index) => {
    const share = Math.min(capacity, Math.ceil(left / (ordered.length - index)))
    left -= share
    return { sender_id, first_due_at, capacity: share }
  })
}

export type DueMessage = {
  id: string
  workspaceId: string
  senderId: string
  recipient: string
  kind: MessageKind
  /** Set for an OTP. */
  templateName: string | null
  templateLanguage: string | null
  components: TemplateComponent[] | null
  /** Set for every other message. */
  content: OutgoingContent | null
  conversation: Conversation | null
  /** Sealed. */
  code: Buffer | null
  submitBy: Date
  /** Including the next one. */
  attempts: number
  /** How often it was sent again after an attempt with an unknown outcome. */
  unknownOutcomes: number
  lastFailureCode: FailureCode | null
  /** How often its end could not be stored. */
  finishTries: number
  /** No outcome was stored for the previous attempt. */
  followsOpenAttempt: boolean
  /** Its last claim, which ended without an outcome. */
  endedLease: string | null
  /** The last claim, if no request was made under it. */
  unbegunLease: string | null
  /** The outcome of its open attempt is stored but not read yet: sending it again could send it twice. */
  hasUnreadReport: boolean
  /** The wait for a report of its open attempt ended during or soon after an outage, in which none could be stored. */
  missedReports: boolean
}

/** Locks messages of one priority: for each sender those that have been due longest. */
const lockDueMessages = statement<DueMessage>(
  'lock_due_messages',
  `select m.id, m.workspace_id as "workspaceId", m.sender_id as "senderId", m.recipient, m.kind,
     m.template_name as "templateName", m.template_language as "templateLanguage", (
     select t.components from templates t
     where m.kind = 'otp' and t.workspace_id = m.workspace_id and t.name = m.template_name and t.language = m.template_language and t.account_id = (
       select s.account_id from senders s where s.workspace_id = m.workspace_id and s.id = m.sender_id)) as components,
     m.content, case when m.purpose is not null then
       jsonb_build_object('confirmationId', m.confirmation_id, 'check', m.check_kind, 'purpose', m.purpose) end as conversation,
     m.code, m.submit_by as "submitBy", m.attempts + 1 as attempts,
     m.unknown_outcomes as "unknownOutcomes", m.last_failure_code as "lastFailureCode", m.finish_tries as "finishTries",
     m.attempted_at is not null as "followsOpenAttempt", m.lease as "endedLease",
     case when m.lease is not null then (
       select l.id from leases l where l.id = m.lease and ${IS_UNBEGUN}) end as "unbegunLease",
     (select true from provider_reports p
      where m.attempted_at > $4 and p.workspace_id = m.workspace_id and p.message_id = m.id and p.outcome = 'waiting'
      limit 1) is not null as "hasUnreadReport",
     -- false after at most two waits: then it is due after the end of the lease
     coalesce(m.due_at <= $5 and m.due_at <= m.attempted_at + $6 * interval '1 millisecond', false)
       as "missedReports"
   from jsonb_to_recordset($1) as r (sender_id uuid, first_due_at timestamptz, capacity int)
   cross join lateral (
     select * from messages
     where sender_id = r.sender_id and priority = $3 and due_at between r.first_due_at and $2
     order by due_at limit r.capacity for no key update skip locked) m`,
)
