import { type Sql, statement } from '../../lib/db/pool.ts'
import { findTraces } from '../../runtime/jobs/traces.ts'
import type { Tracer } from '../../lib/tracing.ts'

type Report = { id: string; kind: string; received_at: Date }
/** `confirmation_id`: the conversation that a customer's message belongs to. */
type End = { id: string; outcome: string; message_id: string | null; confirmation_id: string | null }

/**
 * Makes a span for each report of a message with a trace, after its effect is committed. Not awaited, so that reports do not wait for it:
 * while one batch is looked up, the spans of others are dropped and counted.
 */
export function createReportTracer({ db, tracer }: { db: Sql; tracer: Tracer }) {
  let isBusy = false
  const trace = async (reports: readonly Report[], ends: readonly End[]): Promise<void> => {
    const reportOf = new Map(reports.map((report) => [report.id, report]))
    const messageIds = [...new Set(ends.flatMap(({ message_id }) => message_id ?? []))]
    const rows = messageIds.length > 0 ? await db.rows(selectTraces, [messageIds]) : []
    const ofMessages = new Map(rows.map(({ messageId, traceparent }) => [messageId, traceparent]))
    const confirmationIds = ends.flatMap(({ confirmation_id }) => confirmation_id ?? [])
    const ofConfirmations = confirmationIds.length > 0 ? await findTraces(db, confirmationIds) : ofMessages
    for (const { id, outcome, message_id: messageId, confirmation_id: confirmationId } of ends) {
      const parent = ofMessages.get(messageId ?? '') ?? ofConfirmations.get(confirmationId ?? '')
      const report = reportOf.get(id)
      if (parent === undefined || !report) continue
      const attributes = {
        'doorcode.report': report.kind,
        'doorcode.message_id': messageId,
        'doorcode.outcome': outcome,
      }
      tracer.start('report', { kind: 'consumer', parent, attributes, startedAt: report.received_at }).end()
    }
  }
  return (reports: readonly Report[], ends: readonly End[]): void => {
    if (isBusy) return tracer.drop(ends.length)
    isBusy = true
    trace(reports, ends)
      .catch(() => tracer.drop(ends.length))
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
