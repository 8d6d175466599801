import { type Sql, statement } from '../../lib/db/pool.ts'
import { findTraces } from '../../runtime/jobs/traces.ts'
import type { Tracer } from '../../lib/tracing.ts'

/** `confirmationId`: the conversation that a customer's message belongs to. */
type EndedReport = {
  kind: string
  outcome: string
  messageId: string | null
  confirmationId: string | null
  receivedAt: Date
}

/**
 * Makes a span for each report of a message with a trace, after its effect is committed. Not awaited, so that reports do not wait for it:
 * while one batch is looked up, the spans of others are dropped and counted.
 */
export function createReportTracer({
  db,
  tracer,
}: {
  db: Sql
  tracer: Tracer
}): (ended: readonly EndedReport[]) => void {
  let isBusy = false
  const trace = async (ended: readonly EndedReport[]): Promise<void> => {
    const messageIds = [...new Set(ended.flatMap(({ messageId }) => messageId ?? []))]
    const rows = messageIds.length > 0 ? await db.rows(selectTraces, [messageIds]) : []
    const ofMessages = new Map(rows.map(({ messageId, traceparent }) => [messageId, traceparent]))
    const confirmationIds = ended.flatMap(({ confirmationId }) => confirmationId ?? [])
    const ofConfirmations = confirmationIds.length > 0 ? await findTraces(db, confirmationIds) : ofMessages
    for (const { kind, outcome, messageId, confirmationId, receivedAt } of ended) {
      const parent = ofMessages.get(messageId ?? '') ?? ofConfirmations.get(confirmationId ?? '')
      if (parent === undefined) continue
      const attributes = { 'doorcode.report': kind, 'doorcode.message_id': messageId, 'doorcode.outcome': outcome }
      tracer.start('report', { kind: 'consumer', parent, attributes, startedAt: receivedAt }).end()
    }
  }
  return (ended) => {
    if (isBusy) return tracer.drop(ended.length)
    isBusy = true
    trace(ended)
      .catch(() => tracer.drop(ended.length))
      .finally(() => (isBusy = false))
  }
}

const selectTraces = statement<{ messageId: string; traceparent: string }>(
  'find_traces_of_messages',
  // by ids only: the caller has just processed their reports
  `select m.id as "messageId", t.traceparent
   from unnest($1::uuid[]) as reported (id)
   cross join lateral (select id, confirmation_id from messages where id = reported.id limit 1) m
   cross join lateral (select traceparent from traces where id = coalesce(m.confirmation_id, m.id) limit 1) t`,
)
