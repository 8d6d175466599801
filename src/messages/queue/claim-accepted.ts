import { BoundedMap } from '../../lib/bounded-map.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { HandOver, MessageLoop } from '../../runtime/jobs/hand-over.ts'
import { type ClaimedMessage, SUBMIT_LEASE_MS } from './claim.ts'
import { lockSendable } from './lock-senders.ts'
import { PAIR_INTERVAL_MS, paceAfter, paceCapacity } from './pace.ts'

/**
 * The statement that accepts a code also claims it, if its sender and its pair are free and no earlier code of the sender waits. After the
 * commit this process sends it, without the loop's search and its two transactions. The way: otp/code-message.ts builds the statement,
 * accept/engine.ts runs it and gives the code to the loop of submit.ts, which sends it.
 */

/** A message that this process could send at once. */
export type NewMessage = Omit<ClaimedMessage, 'lease' | 'claimedAt'>

/** `trace`: the `traceparent` of its request. */
export type AcceptedMessages = HandOver<SubmitLoop>

type SubmitLoop = MessageLoop<{ message: ClaimedMessage; trace: string | undefined }>

export type ChosenClaim = ReturnType<typeof chooseClaimable>

/** More senders than one node serves at a time. For senders beyond this limit, the search reads all index entries. */
const MAX_SENDERS = 10_000
/**
 * At the last search an earlier code may have been uncommitted, or a node with a slow clock may accept one later. The loop searches all
 * codes: it sends one that this margin misses.
 */
const SEARCH_MARGIN_MS = SECOND_MS

/**
 * For each sender, when this process last found no earlier code waiting. The next search skips older index entries: a long transaction,
 * such as a backup, keeps the entries of all codes sent since it began.
 */
export type EmptySearches = BoundedMap<string, Date>

export const createEmptySearches = (): EmptySearches => new BoundedMap(MAX_SENDERS)

type ClaimState = { loop: SubmitLoop; emptySearches: EmptySearches; now: Date }

/** The new messages that the statement may claim: the first of each pair. Dispose it after `send`. */
export function chooseClaimable(messages: readonly NewMessage[], { loop, emptySearches, now }: ClaimState) {
  const pairs = Map.groupBy(messages, ({ senderId, recipient }) => `${senderId} ${recipient}`)
  const chosen = new Map([...pairs.values()].flatMap(([first]) => (first ? [[first.id, first] as const] : [])))
  const lease = newId()
  const reserved = loop.reserve(chosen.size)
  const searchFrom = new Map(
    messages.flatMap(({ senderId }) => {
      const seenAt = emptySearches.get(senderId)
      return seenAt && seenAt <= now ? [[senderId, later(seenAt, -SEARCH_MARGIN_MS)] as const] : []
    }),
  )
  return {
    lease,
    loop,
    /** Parameters of the statement: lease, node, end of the lease, messages, the time from which it searches for each sender's earlier codes. */
    values: [
      lease,
      loop.nodeId,
      later(now, SUBMIT_LEASE_MS),
      [...chosen.keys()],
      JSON.stringify(Object.fromEntries(searchFrom)),
    ] as const,
    /** Call after the commit. `ids`: what the statement claimed. */
    send(ids: readonly string[], traceOf: (id: string) => string | undefined): void {
      for (const id of ids) {
        const message = chosen.get(id)
        if (!message) continue
        emptySearches.set(message.senderId, now)
        loop.give({ message: { ...message, lease, claimedAt: now }, trace: traceOf(id) })
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
  searchFrom: string
  now: string
}

/**
 * SQL: claims the rows of `accepted` with these ids. `insert`: common table expressions that insert the rows of `allowed`, which are
 * those of `accepted` with `is_claimed`; `inserted` returns their ids. Skips senders and pairs that another transaction has locked: the
 * loop sends their codes. A locked table makes it wait (accept/engine.ts). Counts in the pace of senders and pairs as the loop's claim does,
 * and writes a lease that has begun. A row that `insert` drops, because another request took its key, has still taken its slots.
 */
export const claimAccepted = (
  { lease, nodeId, ids, searchFrom, now }: Omit<ClaimParameters, 'until'>,
  insert: string,
): string =>
  `claimable as materialized (
     select id, sender_id, recipient from accepted where id = any (${ids}::uuid[])
   ), free_senders as materialized (
     select p.sender_id, ${paceCapacity({ throughput: 's.throughput', now })} as capacity
     from (
       select sender_id from (select distinct sender_id from claimable) c
       where (
         select 1 from messages
         where sender_id = c.sender_id and priority = 0 and due_at <= ${now}
           and due_at >= coalesce((${searchFrom}::jsonb ->> c.sender_id::text)::timestamptz, '-infinity') limit 1) is null
       order by sender_id) d
     ${lockSendable({ senderId: 'd.sender_id', now, breaker: 'closed' })}
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
   ), pairs as (
     insert into pair_pace as p (sender_id, recipient, free_at)
     select sender_id, recipient, ${now}::timestamptz + interval '${PAIR_INTERVAL_MS} ms' from next_messages
     order by sender_id, recipient
     on conflict (sender_id, recipient) do update set free_at = excluded.free_at where p.free_at <= ${now}
     returning sender_id, recipient
   ), claimed as materialized (
     -- "is true": as a join, each row would be compared with all others
     select id, sender_id from next_messages where ((sender_id, recipient) in (select sender_id, recipient from pairs)) is true
   ), paces as (
     update sender_pace p
     set (slots, slot_sends) = (${paceAfter({ sends: '(select count(*)::int from claimed where sender_id = p.sender_id)', now })})
     where p.sender_id = any (array (select sender_id from claimed))
   ), allowed as materialized (
     select *, (id in (select id from claimed)) is true as is_claimed from accepted
   ), ${insert}, claims as (
     insert into leases (id, node_id, kind, item_ids, taken_at, begun_at)
     select ${lease}::uuid, ${nodeId}::uuid, 'messages', array_agg(id), ${now}, ${now}
     from inserted where (id in (select id from claimed)) is true having count(*) > 0
   )`

/** SQL: the columns of a message that a claim sets, and their values for a row of `allowed`. */
export const CLAIM_COLUMNS = 'status, due_at, lease, attempts, attempted_at'

export const claimValues = ({ lease, until, now }: Pick<ClaimParameters, 'lease' | 'until' | 'now'>): string =>
  `case when is_claimed then 'sending' else 'queued' end, case when is_claimed then ${until}::timestamptz else ${now}::timestamptz end,
     case when is_claimed then ${lease}::uuid end, is_claimed::int, case when is_claimed then ${now}::timestamptz end`
