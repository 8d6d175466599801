import type { CodedText } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { ProviderError, SendOutcome } from '../../providers/provider.ts'
import { markCredentialsInvalid } from '../../accounts/sync/sync.ts'
import type { ClaimedMessage } from './claim.ts'
import { MAX_TRIAL_MS } from './lock-senders.ts'
import { type Decision, MAX_OPEN_MS } from './decide.ts'
import { PAIR_BURST, PAIR_INTERVAL_MS } from './pace.ts'

/** Far above the step at which the waits stop growing. */
const MAX_BREAKER_STEPS = 30

type AttemptEnd = { message: ClaimedMessage; outcome: SendOutcome | null; next: Decision }

/**
 * Opens the breakers of the pairs, senders and accounts that errors named. Each one is a commit that delays the outcomes
 * of the whole group, so errors that name the same one open it once, for the longest time.
 */
export async function openBreaker(sql: Sql, group: readonly AttemptEnd[]): Promise<void> {
  const longest = new Map<string, Opening>()
  for (const opening of group.flatMap(openingOf)) {
    const other = longest.get(opening.key)
    if (!other || opening.until >= other.until) longest.set(opening.key, opening)
  }
  for (const { open } of longest.values()) await open(sql)
}

type Opening = { key: string; until: Date; open: (sql: Sql) => Promise<unknown> }

function openingOf({ message, outcome, next }: AttemptEnd): Opening[] {
  if (next.next !== 'retry' || !next.breaker) return []
  const { workspaceId, accountId, senderId, recipient, claimedAt } = message
  switch (next.breaker.scope) {
    case 'pair': {
      const values = [senderId, recipient, later(next.dueAt, (PAIR_BURST - 1) * PAIR_INTERVAL_MS)]
      const open = (sql: Sql) => sql.rows(openPair, values)
      return [{ key: `pair ${senderId} ${recipient}`, until: next.dueAt, open }]
    }
    case 'sender':
    case 'account': {
      const { scope, until, providerCode } = next.breaker
      // A trial message's error counts on its own: it replaces the opening that the trial tests.
      const trial = message.breakerStep > 0 ? message.id : ''
      const step = Math.min(message.breakerStep + 1, MAX_BREAKER_STEPS)
      const values = [senderId, trialUntil(message), until, step, providerCode]
      const open = (sql: Sql) =>
        scope === 'sender' ? sql.rows(openSender, values) : sql.rows(openAccount, [...values, workspaceId, accountId])
      return [{ key: `${scope} ${scope === 'sender' ? senderId : accountId} ${trial}`, until, open }]
    }
    case 'credentials': {
      const detail = outcome?.outcome === 'rejected' ? rejectedWith(outcome.error) : null
      // The token was read at the claim: the latest one counts.
      const open = (sql: Sql) => markCredentialsInvalid(sql, message, { detail, sentAt: claimedAt })
      return [{ key: `credentials ${accountId}`, until: claimedAt, open }]
    }
  }
}

const rejectedWith = ({ code, title }: ProviderError): CodedText =>
  code === null ? title : { code: 'accounts.rejected_with', errorCode: code, title }

/** Returns undefined if it is not a trial message. */
const trialUntil = ({ breakerStep, claimedAt }: ClaimedMessage): Date | undefined =>
  breakerStep > 0 ? later(claimedAt, MAX_TRIAL_MS) : undefined

/**
 * Ends the trial of a half-open breaker: closes it, or releases the next trial message immediately. While the fault lasts, the
 * next one waits until the trial's time or the new opening is over. Returns whether waiting messages may go now.
 */
export async function endTrial(sql: Sql, end: AttemptEnd, now: Date): Promise<boolean> {
  const { message } = end
  const until = trialUntil(message)
  if (!until) return false
  const result = trialResult(end)
  if (result === 'works') await sql.rows(closeBreaker, [message.senderId, until])
  if (result === 'inconclusive') await sql.rows(repeatTrial, [message.senderId, until, now])
  return result !== 'faulty'
}

/** A fault that may be the message's own, a failed connection, or a message that was not sent, is inconclusive. */
function trialResult({ outcome, next }: AttemptEnd): 'works' | 'faulty' | 'inconclusive' {
  if (next.next === 'accepted') return 'works'
  // A report of its delivery does not close the breaker: each transaction of reports would have to wait for the pace of
  // senders, which a claim holds.
  if (next.next === 'unknown') return 'faulty'
  const scope = next.next === 'retry' ? next.breaker?.scope : undefined
  if (scope) return scope === 'sender' || scope === 'account' ? 'faulty' : 'works'
  return outcome?.outcome === 'rejected' && outcome.error.class === 'permanent' ? 'works' : 'inconclusive'
}

const openPair = statement(
  'open_pair_breaker',
  `insert into pair_pace as p (sender_id, recipient, free_at) values ($1, $2, $3)
   on conflict (sender_id, recipient) do update set free_at = greatest(p.free_at, excluded.free_at)`,
)

/** Errors of concurrent sends count as one step. A trial's error replaces its opening; a longer one for another error stays. */
const OPEN = `breaker_open_until = case when ${isTrial('$1', '$2')} then $3 else greatest(breaker_open_until, $3) end,
       breaker_code = case when ${isTrial('$1', '$2')} or breaker_open_until is null or breaker_open_until <= $3 then $5 else breaker_code end,
       breaker_step = greatest(breaker_step, $4)`

const openSender = statement('open_sender_breaker', `update sender_pace set ${OPEN} where sender_id = $1`)

const openAccount = statement(
  'open_account_breaker',
  `update sender_pace set ${OPEN}
   where sender_id = any (array (select s.id from senders s where s.workspace_id = $6 and s.account_id = $7))`,
)

const closeBreaker = statement(
  'close_sender_breaker',
  `update sender_pace set breaker_open_until = null, breaker_code = null, breaker_step = 0 where ${isTrial('$1', '$2')}`,
)

const repeatTrial = statement(
  'repeat_sender_trial',
  `update sender_pace set breaker_open_until = $3 where ${isTrial('$1', '$2')}`,
)

/** Half-opens the breakers that were opened while the database's clock was ahead. */
export const correctBreakerTimes = (sql: Sql, now: Date): Promise<unknown[]> =>
  sql.rows(correctBreakers, [now, later(now, MAX_OPEN_MS + MINUTE_MS)])

const correctBreakers = statement(
  'correct_breaker_times',
  'update sender_pace set breaker_open_until = $1 where breaker_open_until > $2',
)

/** False once the breaker is open for longer. A sandbox's clock may have brought the end nearer. */
function isTrial(sender: string, until: string): string {
  return `(sender_id = ${sender} and breaker_step > 0 and breaker_open_until <= ${until}::timestamptz)`
}
