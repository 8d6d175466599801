import { later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import type { SendOutcome } from '../providers/provider.ts'
import { markCredentialsInvalid } from '../senders/sync.ts'
import { type Claimed, PROBE_MOST_MS } from './claim.ts'
import type { Next } from './decide.ts'
import { PAIR_BURST, PAIR_INTERVAL_MS } from './pace.ts'

/** Far above the step at which the waits stop growing. */
const HOLD_STEPS_MOST = 30

type Told = { message: Claimed; outcome: SendOutcome | null; next: Next }

/**
 * Slows or stops what errors named. When many name the same at once, one hold says it for all of them: each is a commit of
 * its own, for which the outcomes of the whole group wait.
 */
export async function hold(sql: Sql, group: readonly Told[]): Promise<void> {
  const strongest = new Map<string, { told: Told; until: Date }>()
  for (const told of group) {
    const found = wouldHold(told)
    if (!found) continue
    const { what, until } = found
    const other = strongest.get(what)
    if (!other || until >= other.until) strongest.set(what, { told, until })
  }
  for (const { told } of strongest.values()) await holdOne(sql, told)
}

/** What a probe holds stays apart: it takes the place of the probe's own hold. */
function wouldHold({ message, next }: Told): { what: string; until: Date } | undefined {
  if (next.next !== 'retry' || !next.hold) return undefined
  const probe = message.holdStep > 0 ? message.id : ''
  switch (next.hold.scope) {
    case 'pair':
      return { what: `pair ${message.senderId} ${message.recipient}`, until: next.dueAt }
    case 'sender':
      return { what: `sender ${message.senderId} ${probe}`, until: next.hold.until }
    case 'account':
      return { what: `account ${message.accountId} ${probe}`, until: next.hold.until }
    case 'credentials':
      return { what: `credentials ${message.accountId}`, until: message.claimedAt } // the latest that read the token
  }
}

async function holdOne(sql: Sql, { message, next, outcome }: Told): Promise<void> {
  if (next.next !== 'retry' || !next.hold) return
  switch (next.hold.scope) {
    case 'pair':
      await sql.rows(holdPair, [
        message.senderId,
        message.recipient,
        new Date(next.dueAt.getTime() + (PAIR_BURST - 1) * PAIR_INTERVAL_MS),
      ])
      return
    case 'sender':
    case 'account': {
      const { scope, until, providerCode } = next.hold
      const step = Math.min(message.holdStep + 1, HOLD_STEPS_MOST)
      const values = [message.senderId, probedUntil(message), until, step, providerCode]
      if (scope === 'sender') await sql.rows(holdSender, values)
      else await sql.rows(holdAccount, [...values, message.workspaceId, message.accountId])
      return
    }
    case 'credentials':
      await markCredentialsInvalid(sql, message, {
        detail: outcome?.outcome === 'refused' ? `${outcome.error.code ?? ''} ${outcome.error.title}`.trim() : '',
        sentAt: message.claimedAt, // the token was read then
      })
      return
  }
}

/** Undefined of a message that did not go alone. */
const probedUntil = ({ holdStep, claimedAt }: Claimed): Date | undefined =>
  holdStep > 0 ? later(claimedAt, PROBE_MOST_MS) : undefined

/**
 * After a message that went alone its sender is let go, or another one goes alone at once; where the trouble lasts, only
 * when the probe's time or the new hold is over. Returns whether messages that waited may go now.
 */
export async function endProbe(sql: Sql, told: Told, now: Date): Promise<boolean> {
  const { message } = told
  const until = probedUntil(message)
  if (!until) return false
  const found = finding(told)
  if (found === 'works') await sql.rows(letGo, [message.senderId, until])
  if (found === 'nothing') await sql.rows(probeAgain, [message.senderId, until, now])
  return found !== 'trouble'
}

/**
 * What a probe tells of its sender: trouble where it holds it anew. A fault that may be its message's own, a connection
 * that did not come about, or a message that was not sent, tells nothing.
 */
function finding({ outcome, next }: Told): 'works' | 'trouble' | 'nothing' {
  if (next.next === 'accepted') return 'works'
  // A report that tells within these seconds that it arrived lets nobody go: each transaction of reports would have to
  // wait for the pace of senders, which a claim holds.
  if (next.next === 'unknown') return 'trouble'
  const held = next.next === 'retry' ? next.hold?.scope : undefined
  if (held) return held === 'sender' || held === 'account' ? 'trouble' : 'works'
  return outcome?.outcome === 'refused' && outcome.error.class === 'permanent' ? 'works' : 'nothing'
}

const holdPair = statement(
  'hold_pair',
  `insert into pair_pace as p (sender_id, recipient, free_at) values ($1, $2, $3)
   on conflict (sender_id, recipient) do update set free_at = greatest(p.free_at, excluded.free_at)`,
)

/**
 * Errors of sends that were under way together count as one step. The error of a probe takes the place of its hold; a
 * longer hold for something else stays.
 */
const HOLD = `held_until = case when ${isProbe('$1', '$2')} then $3 else greatest(held_until, $3) end,
       held_by_code = case when ${isProbe('$1', '$2')} or held_until is null or held_until <= $3 then $5 else held_by_code end,
       hold_step = greatest(hold_step, $4)`

const holdSender = statement('hold_sender', `update sender_pace set ${HOLD} where sender_id = $1`)

const holdAccount = statement(
  'hold_account',
  `update sender_pace set ${HOLD}
   where sender_id = any (array (select s.id from senders s where s.workspace_id = $6 and s.account_id = $7))`,
)

const letGo = statement(
  'let_sender_go',
  `update sender_pace set held_until = null, held_by_code = null, hold_step = 0 where ${isProbe('$1', '$2')}`,
)

const probeAgain = statement(
  'probe_sender_again',
  `update sender_pace set held_until = $3 where ${isProbe('$1', '$2')}`,
)

/** Not when the sender is held for longer by now. A sandbox's clock may have brought the end nearer. */
function isProbe(sender: string, until: string): string {
  return `(sender_id = ${sender} and hold_step > 0 and held_until <= ${until}::timestamptz)`
}
