import { notAfter } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { removal } from '../../lib/db/removal.ts'
import type { DueMessage } from './lock-due.ts'
import { MAX_PAIR_WAIT_MS, PAIR_BURST, PAIR_INTERVAL_MS } from './pace.ts'

/** Null: it is not due any more. */
export type PostponedMessage = { id: string; due_at: Date | null }

/**
 * Takes a slot for each message whose window is open. `late`: messages of pairs that have used up their burst, with the time at which they
 * may go, or at which their window closes.
 */
export async function takePairSlots(
  tx: Sql,
  due: readonly DueMessage[],
  now: Date,
): Promise<{ sendable: DueMessage[]; late: PostponedMessage[] }> {
  const open = due.filter(({ submitBy }) => submitBy > now) // the others fail without a request
  if (open.length === 0) return { sendable: [...due], late: [] }
  const pairs = Map.groupBy(open, pairKey)
  const needed = [...pairs.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1)) // a fixed order, so that two claims cannot deadlock
    .map(([, rows]) => pairInterval(rows[0] as DueMessage, rows.length))
  const slots = await tx.rows(takeSlots, [batch(needed), now])
  const late: PostponedMessage[] = []
  const unused: ReturnType<typeof pairInterval>[] = []
  for (const slot of slots) {
    const rows = pairs.get(pairKey(slot)) ?? []
    const firstSlot = slot.freeAt.getTime() - rows.length * PAIR_INTERVAL_MS
    const lateOfPair = rows
      .map(({ id, submitBy }, index) => {
        const freeAt = new Date(firstSlot + (index - PAIR_BURST + 1) * PAIR_INTERVAL_MS)
        return { id, due_at: notAfter(submitBy, freeAt) }
      })
      .filter(({ due_at }) => due_at > now)
    if (lateOfPair.length === 0) continue
    late.push(...lateOfPair)
    unused.push(pairInterval(slot, lateOfPair.length))
  }
  if (unused.length > 0) await tx.rows(returnSlots, [batch(unused)])
  const ids = new Set(late.map(({ id }) => id))
  return { sendable: due.filter(({ id }) => !ids.has(id)), late }
}

/** A sender and a recipient. */
type Pair = Pick<DueMessage, 'senderId' | 'recipient'>

const pairKey = ({ senderId, recipient }: Pair): string => `${senderId} ${recipient}`

const pairInterval = ({ senderId, recipient }: Pair, count: number) => ({
  sender_id: senderId,
  recipient,
  interval_ms: count * PAIR_INTERVAL_MS,
})

const takeSlots = statement<Pair & { freeAt: Date }>(
  'take_pair_slots',
  `insert into pair_pace as p (sender_id, recipient, free_at)
   select w.sender_id, w.recipient, $2::timestamptz + w.interval_ms * interval '1 millisecond'
   from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
   on conflict (sender_id, recipient) do update
   set free_at = (excluded.free_at - $2::timestamptz) + case
     when p.free_at > $2::timestamptz + interval '${MAX_PAIR_WAIT_MS} milliseconds' then $2::timestamptz
     else greatest(p.free_at, $2::timestamptz) end
   returning p.sender_id as "senderId", p.recipient, p.free_at as "freeAt"`,
)

const returnSlots = statement(
  'return_pair_slots',
  `update pair_pace p set free_at = p.free_at - w.interval_ms * interval '1 millisecond'
   from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
   where p.sender_id = w.sender_id and p.recipient = w.recipient`,
)

/** A pair with a free slot behaves like one without a row. */
export const removeIdlePairs = removal('remove_idle_pair_paces', 'pair_pace', 'free_at < $1')

/** For a sandbox that begins again: its clock may go back, and its numbers would wait for what was sent later. */
export const forgetPaces = async (tx: Sql, workspaceId: string): Promise<void> => {
  await tx.rows(resetPaces, [workspaceId])
}

const SENDERS = 'any (array (select id from senders where workspace_id = $1))'

const resetPaces = statement(
  'reset_paces_of_workspace',
  `with pairs as (delete from pair_pace where sender_id = ${SENDERS})
   update sender_pace set slots = '{}', slot_sends = '{}', breaker_open_until = null, breaker_step = 0, breaker_code = null
   where sender_id = ${SENDERS}`,
)
