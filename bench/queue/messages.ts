import { subscribers } from '../../src/runtime/background/subscribers.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { submitLoop } from '../../src/messages/queue/submit.ts'
import { TEMPLATE } from '../provider.ts'
import { openShops, setupParts } from '../shop.ts'
import { type QueueEngine, type QueueEngineOptions, SENDERS, insertInBulk } from './engine.ts'

/** The SENDERS send 20,000 a second together: their pace is checked and written, and never holds them up. */
/** Many times what the slowest machine needs. */
const MAX_DRAIN_MS = 180_000

/** Doorcode's loop that submits messages, with a provider that answers without a request. */
export async function messagesEngine({ databaseUrl, graphUrl }: QueueEngineOptions): Promise<QueueEngine> {
  await openShops({ databaseUrl, graphUrl, shops: SENDERS, keysEach: 0 })
  const parts = await setupParts(databaseUrl)
  const seal = { ...parts.seal, open: () => '493817' } // the rows are made in SQL, which cannot seal
  let sends = 0
  const provider: typeof parts.provider = {
    ...parts.provider,
    send: () => {
      sends += 1
      return Promise.resolve({
        outcome: 'accepted',
        httpStatus: 200,
        customer: { waId: null, userId: null },
        providerMessageId: `wamid.${process.pid}.${sends}`,
      })
    },
  }
  let made = 0
  const insert = async (count: number, dueIn: string): Promise<void> => {
    const values = [TEMPLATE.name, TEMPLATE.language, made, count, dueIn]
    await insertInBulk(
      databaseUrl,
      [
        `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
           api_key_id, quota_unit, created_at, status, priority, submit_by, due_at, code)
         select uuidv7(), s.workspace_id, 'otp', s.id, '+2126' || lpad(n::text, 8, '0'), $1, $2, gen_random_uuid(),
           'bench', n, now(), 'queued', 0, now() + interval '2 days', now() + $5::interval, '\\x00'
         from generate_series($3::int + 1, $3::int + $4::int) n
         join (select *, row_number() over (order by id) as position from senders) s on s.position = n % ${SENDERS} + 1`,
      ],
      values,
    )
    made += count
  }
  return {
    name: 'Doorcode messages',
    put: (count) => insert(count, '0'),
    putFuture: (count) => insert(count, '1 day'),
    async drain(count) {
      const loop = submitLoop({ ...parts, seal, provider, subscribers, metrics: createMetrics() })
      const until = sends + count
      const began = performance.now()
      while (sends < until) {
        await loop.turn()
        if (performance.now() - began > MAX_DRAIN_MS) throw new Error(`${until - sends} messages were not sent`)
      }
      await loop.drain?.()
      return performance.now() - began
    },
    close: () => parts.close(),
  }
}
