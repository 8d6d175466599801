import type { CodedText } from '../../../locales/text.ts'
import { later, notAfter, notBefore } from '../../lib/clock.ts'
import { type Sql, type Statement, batch, changes, statement } from '../../lib/db/pool.ts'
import { type EventParts, transactionWithEvents } from '../../events/record.ts'
import type { Batcher } from '../../lib/db/batcher.ts'
import { createFairBatcher } from '../../lib/db/fair-batcher.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { AcceptedMessage, Subscribers } from '../subscribers.ts'
import type { SendOutcome } from '../../providers/provider.ts'
import { syncSoon } from '../../accounts/sync/sync.ts'
import type { ClaimedMessage } from './claim.ts'
import { type Decision, UNKNOWN_WAIT_MS } from './decide.ts'
import { endTrial, openBreaker } from './circuit-breaker.ts'
import { applyReports, ownFailure } from '../reports/apply.ts'

/** `outcome` is null when no request was made. */
export type EndedAttempt = {
  message: ClaimedMessage
  startedAt: Date
  endedAt: Date
  outcome: SendOutcome | null
  next: Decision
  /** Why Doorcode could not make the request. */
  notMade?: CodedText
}

const MAX_GROUP = 256
const GROUP_CONCURRENCY = 2
/** For outcomes that may block or unblock a sender: all but acceptance, and those of trial messages. */
const GROUP_INTERVAL_MS = 50
/**
 * A report names its message by our id, so it does not need the outcome. Kept short because after a crash a message without a stored
 * outcome waits ten seconds for a report, and is sent again if none arrives.
 */
const ACCEPTED_INTERVAL_MS = 100
/** Reports of one message that arrived before its id was stored: sent, delivered, read, failed, and as many to spare. */
const MAX_UNPARKED_EACH = 8

type FinishParts = EventParts &
  Pick<Parts, 'clock' | 'live'> & {
    subscribers: Subscribers
  }

export type Finish = Batcher<EndedAttempt, void>

/**
 * Stores the outcomes of attempts; those that end within a short interval share one commit. A message or confirmation that another
 * session has locked delays only its own outcome.
 */
export const createFinisher = (parts: FinishParts): Finish =>
  createFairBatcher((group) => finishTogether(parts, group), {
    maxItems: MAX_GROUP,
    concurrency: GROUP_CONCURRENCY,
    intervalMs: ({ next, message }) =>
      next.next === 'accepted' && message.breakerStep === 0 ? ACCEPTED_INTERVAL_MS : GROUP_INTERVAL_MS,
    ownerOf: ({ message }) => message.conversation?.confirmationId ?? message.id,
  })

async function finishTogether(parts: FinishParts, group: EndedAttempt[]): Promise<void> {
  const { db, clock, wake, live, subscribers } = parts
  const now = clock.now()
  // Before the outcomes, so that nothing more is claimed, and in its own transaction: a claim locks a sender's pace while
  // it waits for a pair's, so one transaction for both could deadlock with it.
  await openBreaker(db, group)
  let mayClaim = false
  for (const ended of group) mayClaim = (await endTrial(db, ended, now)) || mayClaim
  const failed = group.filter(({ next }) => next.next === 'failed')
  const accepted = group.flatMap(asAccepted)
  if (failed.length === 0 && accepted.length === 0) {
    await write(db, group, now)
  } else {
    await transactionWithEvents(parts, async (tx) => {
      const finished = await write(tx, group, now)
      const reports = group.flatMap(({ message, next }) =>
        next.next === 'failed' && finished.has(message.id) ? [ownFailure(message, next.failureCode, now)] : [],
      )
      if (reports.length > 0) await applyReports({ tx, subscribers }, now, reports)
      if (accepted.length > 0) await subscribers.accepted(tx, accepted)
    })
  }
  live.changed(group.map(({ message }) => message.workspaceId))
  if (mayClaim) wake('submit')
  const outOfDate = new Map(failed.filter(isDataOutOfDate).map(({ message }) => [message.accountId, message]))
  for (const message of outOfDate.values()) await syncSoon(db, message, now)
}

const asAccepted = ({ message: { workspaceId, conversation }, outcome, endedAt }: EndedAttempt): AcceptedMessage[] =>
  conversation?.purpose === 'template' && outcome?.outcome === 'accepted'
    ? [{ workspaceId, conversation, endedAt, customerUserId: outcome.customer.userId }]
    : []

/**
 * Returns the ids of the messages whose lease still holds. For the others only the attempt is stored, without texts: their
 * recipients may have been erased.
 */
async function write(sql: Sql, group: EndedAttempt[], now: Date): Promise<Set<string>> {
  const rows = await sql.rows(finish, [
    changes(group.map((ended) => finishRow(ended, now))),
    batch(group.flatMap(attemptRows)),
    now,
  ])
  return new Set(rows.map(({ id }) => id))
}

/** The codes of texts whose words are not ours. */
const FREE_TEXT = `('words.quoted', 'text')`

/** A condition on the column `detail`: it contains what the provider wrote about a failed attempt, which may repeat the customer's values. */
export const HAS_TEXT = `(detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ${FREE_TEXT})`

/** Keeps only our own title of a known error: without it, `explain` would show only the error's number. */
export const WITHOUT_TEXT = `case when detail #>> '{title,code}' not in ${FREE_TEXT} then detail -> 'title' end`

/**
 * One statement for the messages, their attempts, and the reports that came before the provider's answer was stored.
 * A failed message stays due until applyReports ends it in the same transaction. A message whose status came before the answer may be
 * removed already, with its workspace or by emptying its sandbox.
 */
const finish: Statement<{ id: string }> = statement(
  'finish_attempts',
  `with finished as (
     update messages m
     set (status, due_at, lease, attempted_at, last_failure_code, provider_message_id, accepted_at, code) = (
       select case when e.known and not e.accepted and m.status = 'sending' then 'queued' else m.status end,
              e.due_at, null::uuid,
              case when e.known then null else m.attempted_at end,
              e.last_failure_code,
              coalesce(e.provider_message_id, m.provider_message_id),
              case when e.accepted then $3::timestamptz else m.accepted_at end,
              case when e.accepted then null else m.code end
       from jsonb_to_record($1::jsonb -> m.id::text) as e (accepted boolean, known boolean, due_at timestamptz,
         provider_message_id text, last_failure_code text))
     where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))
       and m.lease = ($1::jsonb -> m.id::text ->> 'lease')::uuid
     returning m.id
   ), attempts as (
     insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code, detail)
     select workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code,
            case when message_id = any (array (select id from finished)) or not ${HAS_TEXT} then detail else ${WITHOUT_TEXT} end
     from jsonb_to_recordset($2) as a (workspace_id uuid, message_id uuid, attempt smallint, started_at timestamptz, ended_at timestamptz,
       outcome text, http_status smallint, provider_code int, detail jsonb)
     where message_id = any (array (select id from finished))
       or (select 1 from messages m where m.workspace_id = a.workspace_id and m.id = a.message_id limit 1) is not null
     on conflict do nothing
   ), unparked as (
     update provider_reports set outcome = 'waiting', attempts = 0, due_at = $3
     where outcome is not distinct from 'parked' and id = any (array (
       select r.id from jsonb_each($1::jsonb) as e
       cross join lateral (
         select p.id from provider_reports p
         where p.outcome = 'parked' and p.workspace_id = (e.value ->> 'workspace_id')::uuid
           and p.provider_message_id = e.value ->> 'provider_message_id' limit ${MAX_UNPARKED_EACH}) r))
   )
   select id from finished`,
)

function finishRow({ message, next }: EndedAttempt, now: Date) {
  const due = dueAt(message, next, now)
  return {
    id: message.id,
    lease: message.lease,
    workspace_id: message.workspaceId,
    accepted: next.next === 'accepted',
    known: next.next !== 'unknown',
    // never in the past, even if the outcome waited to be stored: searches may skip rows that were due before the last look
    due_at: due && notBefore(now, due),
    provider_message_id: next.next === 'accepted' ? next.providerMessageId : null,
    last_failure_code: next.next === 'accepted' ? null : next.failureCode,
  }
}

/** A breaker may stay open past the window: the message is due again when the window closes, to fail. */
function dueAt({ submitBy }: ClaimedMessage, next: Decision, now: Date): Date | null {
  switch (next.next) {
    case 'accepted':
      return null
    case 'failed':
      return submitBy
    case 'retry':
      return notAfter(submitBy, next.dueAt)
    case 'unknown':
      // the outcome waited to be stored, such as during an outage, in which no report could be stored either
      return next.dueAt < now ? later(now, UNKNOWN_WAIT_MS) : next.dueAt
  }
}

function attemptRows({ message, startedAt, endedAt, outcome, next, notMade }: EndedAttempt) {
  const of = { workspace_id: message.workspaceId, message_id: message.id }
  const attempt = { ...of, attempt: message.attempts, started_at: startedAt, ended_at: endedAt }
  if (outcome) return [{ ...attempt, ...outcomeColumns(outcome, next) }]
  return notMade ? [{ ...attempt, ...NO_ANSWER, outcome: 'not_made', detail: notMade }] : []
}

const NO_ANSWER = { http_status: null, provider_code: null, detail: null }

function outcomeColumns(outcome: SendOutcome, next: Decision) {
  switch (outcome.outcome) {
    case 'accepted':
      return { ...NO_ANSWER, outcome: 'accepted', http_status: outcome.httpStatus }
    case 'unreachable':
      return { ...NO_ANSWER, outcome: 'retry', detail: outcome.detail }
    case 'unknown':
      return { ...NO_ANSWER, outcome: 'unknown', http_status: outcome.httpStatus, detail: outcome.detail }
    case 'rejected': {
      const { code, title, detail } = outcome.error
      return {
        outcome: next.next === 'failed' ? 'rejected' : 'retry',
        http_status: outcome.httpStatus,
        provider_code: code,
        detail: detail ? ({ code: 'providers.titled', title, detail } as const) : title,
      }
    }
  }
}

/** An error about the sender, template or account shows that our data about it is out of date. */
function isDataOutOfDate({ outcome }: EndedAttempt): boolean {
  const scope = outcome?.outcome === 'rejected' ? outcome.error.scope : undefined
  return scope === 'sender' || scope === 'template' || scope === 'account'
}
