import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { HandOver, MessageLoop } from '../../runtime/jobs/hand-over.ts'
import { type ClaimedMessage, SUBMIT_LEASE_MS } from './claim.ts'
import { lockSendable } from './lock-senders.ts'
import { PAIR_INTERVAL_MS, paceAfter, paceCapacity } from './pace.ts'

/**
 * The statement that accepts a code also claims it, if its sender and its pair are free and no earlier code to its recipient waits. After the
 * commit this process sends it, without the loop's search and its two transactions. The way: otp/code-message.ts builds the statement,
 * accept/engine.ts runs it and gives the code to the loop of submit.ts, which sends it.
 */

/** A message that this process could send at once. */
export type NewMessage = Omit<ClaimedMessage, 'lease' | 'claimedAt'>

/** `trace`: the `traceparent` of its request. */
export type AcceptedMessages = HandOver<SubmitLoop>

type SubmitLoop = MessageLoop<{ message: ClaimedMessage; trace: string | undefined }>

export type ChosenClaim = ReturnType<typeof chooseClaimable>

/** The share of a sender's limit up to which new codes are claimed. The rest is for what waits for the loop. */
const ACCEPTED_SHARE = 3 / 4
/** How many earlier codes to one recipient are read. Normally none of them waits. */
const MAX_EARLIER = 5

/** The new messages that the statement may claim: the first of each pair. Dispose it after `send`. */
export function chooseClaimable(messages: readonly NewMessage[], { loop, now }: { loop: SubmitLoop; now: Date }) {
  const pairs = Map.groupBy(messages, ({ senderId, recipient }) => `${senderId} ${recipient}`)
  const chosen = new Map([...pairs.values()].flatMap(([first]) => (first ? [[first.id, first] as const] : [])))
  const lease = newId()
  const reserved = loop.reserve(chosen.size)
  return {
    lease,
    loop,
    /** Parameters of the statement: lease, node, end of the lease, messages. */
    values: [lease, loop.nodeId, later(now, SUBMIT_LEASE_MS), [...chosen.keys()]] as const,
    /** Call after the commit. `ids`: what the statement claimed. */
    send(ids: readonly string[], traceOf: (id: string) => string | undefined): void {
      for (const id of ids) {
        const message = chosen.get(id)
        if (message) loop.give({ message: { ...message, lease, claimedAt: now }, trace: traceOf(id) })
      }
    },
    [Symbol.dispose]: () => reserved[Symbol.dispose](),
  }
}

/** Parameters of the statement. */
type ClaimParameters = {
  lease: string
  nodeId: string
  until: string
  ids: string
  now: string
}

/**
 * SQL: claims the rows of `accepted` with these ids. `insert`: common table expressions that insert the rows of `allowed`, which are
 * those of `accepted` with `is_claimed`; `inserted` returns their ids. Skips senders and pairs that another transaction has locked: the
 * loop sends their codes. A locked table makes it wait (accept/engine.ts). Counts in the pace of senders and pairs as the loop's claim does,
 * and writes a lease that has begun. A row that `insert` drops, because another request took its key, has still taken its slots.
 */
export function claimAccepted({ lease, nodeId, ids, now }: Omit<ClaimParameters, 'until'>, insert: string): string {
  const capacity = paceCapacity({ throughput: 's.throughput', now, share: ACCEPTED_SHARE })
  return `claimable as materialized (
     select id, workspace_id, sender_id, recipient from accepted where id = any (${ids}::uuid[])
   ), free_senders as materialized (
     select p.sender_id, p.slots, p.slot_sends, ${capacity} as capacity
     from (select distinct sender_id from claimable order by sender_id) d
     -- a pace without room is not locked: the loop would skip it
     ${lockSendable({ senderId: 'd.sender_id', now, when: `p.breaker_step = 0 and ${capacity} > 0` })}
   ), next_messages as materialized (
     select next.id, next.sender_id, next.recipient
     from (select *, row_number() over (partition by sender_id order by id) as place from claimable) next
     join free_senders using (sender_id)
     left join lateral (
       select true as is_known from pair_pace where sender_id = next.sender_id and recipient = next.recipient limit 1) known on true
     left join lateral (
       select true as is_free from pair_pace
       where sender_id = next.sender_id and recipient = next.recipient and free_at <= ${now}
       limit 1 for no key update skip locked) free on true
     where place <= capacity and (is_known is null or is_free)
       and (
         select bool_or(due_at <= ${now}) from (
           select due_at from messages
           where workspace_id = next.workspace_id and recipient = next.recipient and confirmation_id is null
           order by id desc limit ${MAX_EARLIER}) earlier) is not true
   ), pairs as (
     insert into pair_pace as p (sender_id, recipient, free_at)
     select sender_id, recipient, ${now}::timestamptz + interval '${PAIR_INTERVAL_MS} ms' from next_messages
     order by sender_id, recipient
     on conflict (sender_id, recipient) do update set free_at = excluded.free_at where p.free_at <= ${now}
     returning sender_id, recipient
   ), claimed as materialized (
     -- "is true": as a join, each row would be compared with all others
     select id, sender_id from next_messages where ((sender_id, recipient) in (select sender_id, recipient from pairs)) is true
   ), allowed as materialized (
     select *, (id in (select id from claimed)) is true as is_claimed from accepted
     -- always true: it counts the sends of each sender
     where (
       select count(write_pace(p.sender_id, after.slots, after.slot_sends))
       from (select sender_id, count(*)::int as sends from claimed group by sender_id) c
       join free_senders p using (sender_id)
       cross join lateral (${paceAfter({ sends: 'c.sends', now })}) after (slots, slot_sends)) >= 0
   ), ${insert}, claims as (
     insert into leases (id, node_id, kind, item_ids, taken_at, begun_at)
     select ${lease}::uuid, ${nodeId}::uuid, 'messages', array_agg(id), ${now}, ${now}
     from inserted where (id in (select id from claimed)) is true having count(*) > 0
   )`
}

/** SQL: the columns of a message that a claim sets, and their values for a row of `allowed`. */
export const CLAIM_COLUMNS = 'status, due_at, lease, attempts, attempted_at'

export const claimValues = ({ lease, until, now }: Pick<ClaimParameters, 'lease' | 'until' | 'now'>): string =>
  `case when is_claimed then 'sending' else 'queued' end, case when is_claimed then ${until}::timestamptz else ${now}::timestamptz end,
     case when is_claimed then ${lease}::uuid end, is_claimed::int, case when is_claimed then ${now}::timestamptz end`
