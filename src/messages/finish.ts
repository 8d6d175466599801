import { type Sql, type Statement, batch, changes, isBatchFault, statement } from '../db.ts'
import { advance } from '../cod/advance.ts'
import { transactionWithEvents } from '../events/record.ts'
import { type Grouped, grouped } from '../group.ts'
import type { Parts } from '../parts.ts'
import type { SendOutcome } from '../providers/provider.ts'
import { syncSoon } from '../senders/sync.ts'
import { keptSentences } from '../sentences.ts'
import type { Claimed } from './claim.ts'
import type { Next } from './decide.ts'
import { endProbe, hold } from './hold.ts'
import { type MessageReport, applyReports } from './outcome.ts'

/** A claimed message after its turn; `outcome` is null when no request was made. */
export type Ended = { message: Claimed; startedAt: Date; endedAt: Date; outcome: SendOutcome | null; next: Next }

const GROUP_MOST = 256
const GROUP_LANES = 2
/** Statuses of one message: sent, delivered, read, failed, and as many again. */
const UNPARKED_EACH_MOST = 8

type FinishParts = Pick<Parts, 'db' | 'clock' | 'metrics' | 'wake' | 'live'>

export type Finish = Grouped<Ended, void>

/** Stores what came of attempts, those that end in the same turn together. */
export function finishing(parts: FinishParts): Finish {
  return grouped(
    async (group: Ended[]) => {
      await finishTogether(parts, group)
      return group.map(() => undefined)
    },
    { most: GROUP_MOST, lanes: GROUP_LANES, mayRunAlone: isBatchFault },
  )
}

async function finishTogether({ db, clock, metrics, wake, live }: FinishParts, group: Ended[]): Promise<void> {
  const now = clock.now()
  // Before the outcomes, so that nothing slips through, and apart from them: a claim holds a sender's pace while it waits
  // for a pair's, and must never wait for us in a circle.
  await hold(db, group)
  let mayGo = false
  for (const ended of group) mayGo = (await endProbe(db, ended, now)) || mayGo
  const failed = group.filter(({ next }) => next.next === 'failed')
  const begun = group.filter(
    ({ message, next }) => next.next === 'accepted' && message.conversation?.purpose === 'template',
  )
  if (failed.length === 0 && begun.length === 0) {
    await write(db, group, now)
  } else {
    await transactionWithEvents({ db, metrics }, async (tx) => {
      const ours = await write(tx, group, now)
      const reports = failed.filter(({ message }) => ours.has(message.id)).map((ended) => asReport(ended, now))
      if (reports.length > 0) await applyReports(tx, now, reports)
      if (begun.length > 0) await beginConversations(tx, begun)
    })
    wake('deliver')
  }
  live.changed(group.map(({ message }) => message.workspaceId))
  if (mayGo) wake('submit')
  for (const ended of failed) await readAgain(db, ended, now)
}

/** Timers start from the submission, not from the delivery (spec §8). A tap may have come before our own answer. */
async function beginConversations(tx: Sql, begun: readonly Ended[]): Promise<void> {
  await tx.rows(knowCustomers, [changes(begun.flatMap(customerRow))])
  await advance(
    tx,
    begun[0]?.endedAt ?? new Date(0),
    begun.flatMap(({ message: { workspaceId, conversation }, endedAt }) =>
      conversation
        ? [
            {
              workspaceId,
              confirmationId: conversation.confirmationId,
              check: conversation.check,
              event: { type: 'template_submitted', at: endedAt },
            },
          ]
        : [],
    ),
  )
}

const customerRow = ({ message: { conversation }, outcome }: Ended) =>
  conversation && outcome?.outcome === 'accepted'
    ? [{ id: conversation.confirmationId, user_id: outcome.customer.userId }]
    : []

/** How the provider names the customer: a later message may come without the number. */
const knowCustomers = statement(
  'know_customers',
  `update confirmations c
   set customer_user_id = coalesce($1::jsonb -> c.id::text ->> 'user_id', c.customer_user_id)
   where c.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const asReport = ({ message, next }: Ended, now: Date): MessageReport => ({
  workspaceId: message.workspaceId,
  messageId: message.id,
  providerMessageId: null,
  report: { outcome: 'failed', at: now, failureCode: next.next === 'failed' ? next.failureCode : 'UNKNOWN' },
})

/** Returns the ids of the messages that were still ours: an expired lease writes nothing but its attempt. */
async function write(sql: Sql, group: Ended[], now: Date): Promise<Set<string>> {
  const rows = await sql.rows(finish, [changes(group.map(finishRow)), batch(group.flatMap(attemptRows)), now])
  return new Set(rows.map(({ id }) => id))
}

/**
 * One statement for the message, its attempts, and the reports that came before the provider's answer was stored.
 * A message that will fail keeps its place until applyReports ends it in the same transaction.
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
     select workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code, detail
     from jsonb_to_recordset($2) as a (workspace_id uuid, message_id uuid, attempt smallint, started_at timestamptz, ended_at timestamptz,
       outcome text, http_status smallint, provider_code int, detail text)
     on conflict do nothing
   ), unparked as (
     update provider_reports set outcome = 'waiting', due_at = $3
     where outcome is not distinct from 'parked' and id = any (array (
       select r.id from jsonb_each($1::jsonb) as e
       cross join lateral (
         select p.id from provider_reports p
         where p.outcome = 'parked' and p.workspace_id = (e.value ->> 'workspace_id')::uuid
           and p.provider_message_id = e.value ->> 'provider_message_id' limit ${UNPARKED_EACH_MOST}) r))
   )
   select id from finished`,
)

const finishRow = ({ message, next }: Ended) => ({
  id: message.id,
  lease: message.lease,
  workspace_id: message.workspaceId,
  accepted: next.next === 'accepted',
  known: next.next !== 'unknown',
  due_at: dueAt(message, next),
  provider_message_id: next.next === 'accepted' ? next.providerMessageId : null,
  last_failure_code: next.next === 'accepted' ? null : next.failureCode,
})

/** A hold may outlast the window: the message is looked at once more when that closes, to be given up. */
function dueAt({ submitBy }: Claimed, next: Next): Date | null {
  switch (next.next) {
    case 'accepted':
      return null
    case 'failed':
      return submitBy
    case 'retry':
      return next.dueAt < submitBy ? next.dueAt : submitBy
    case 'unknown':
      return next.dueAt
  }
}

const details = keptSentences({
  interrupted: { en: 'the process ended before the answer was stored', ar: 'انتهت العملية قبل حفظ الرد' },
})

/** What is known of an attempt that left no outcome behind. */
export const INTERRUPTED = details.interrupted.en

function attemptRows({ message, startedAt, endedAt, outcome, next }: Ended) {
  const of = { workspace_id: message.workspaceId, message_id: message.id }
  const rows = []
  if (message.openAttempt?.interrupted) {
    rows.push({
      ...of,
      attempt: message.attempts - 1,
      started_at: message.openAttempt.startedAt,
      ended_at: startedAt,
      outcome: 'unknown',
      http_status: null,
      provider_code: null,
      detail: INTERRUPTED,
    })
  }
  if (outcome)
    rows.push({
      ...of,
      attempt: message.attempts,
      started_at: startedAt,
      ended_at: endedAt,
      ...described(outcome, next),
    })
  return rows
}

function described(outcome: SendOutcome, next: Next) {
  const nothing = { http_status: null, provider_code: null, detail: null }
  switch (outcome.outcome) {
    case 'accepted':
      return { ...nothing, outcome: 'accepted', http_status: outcome.httpStatus }
    case 'unreachable':
      return { ...nothing, outcome: 'retry', detail: outcome.detail }
    case 'unknown':
      return { ...nothing, outcome: 'unknown', http_status: outcome.httpStatus, detail: outcome.detail }
    case 'refused': {
      const { code, title, detail } = outcome.error
      return {
        outcome: next.next === 'failed' ? 'refused' : 'retry',
        http_status: outcome.httpStatus,
        provider_code: code,
        detail: detail ? `${title}: ${detail}` : title,
      }
    }
  }
}

/** An error about the sender or the template says that what we know of them is old. */
async function readAgain(sql: Sql, { message, outcome }: Ended, now: Date): Promise<void> {
  if (outcome?.outcome !== 'refused') return
  const { scope } = outcome.error
  if (scope === 'sender' || scope === 'template' || scope === 'account') await syncSoon(sql, message, now)
}
