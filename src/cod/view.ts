import { z } from 'zod'
import type { Sql } from '../lib/db/pool.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import { CONFIRMATION_STATUSES } from './conversation/confirmation.ts'
import { REFUSAL_STATUSES } from './conversation/refusal.ts'
import { type Conversation, findConversation } from './conversation/store.ts'

export const rescheduleSchema = z
  .strictObject({ date: z.iso.date().nullable(), timeRange: z.string().nullable(), note: z.string().nullable() })
  .meta({ id: 'Reschedule' })

export const refusalCheckSchema = z
  .strictObject({
    status: z.enum(REFUSAL_STATUSES),
    reason: z.string().nullable(),
    note: z.string().nullable(),
    answeredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RefusalCheck' })

export const confirmationSchema = z
  .strictObject({
    confirmationId: z.uuid(),
    reference: z.string(),
    to: z.string(),
    status: z.enum(CONFIRMATION_STATUSES),
    answeredAt: z.iso.datetime().nullable(),
    reschedule: rescheduleSchema.nullable(),
    refusalCheck: refusalCheckSchema.nullable(),
    failure: failureSchema.nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Confirmation' })

/** A confirmation as callers get it from GET and in events. */
export type ConfirmationView = z.infer<typeof confirmationSchema>

export async function findConfirmation(sql: Sql, workspaceId: string, confirmationId: string) {
  const conversation = await findConversation(sql, workspaceId, confirmationId)
  return conversation && confirmationView(conversation)
}

type ViewedCheck<Check extends Conversation['confirmation'] | NonNullable<Conversation['refusal']>> = {
  state: Pick<Check['state'], 'status' | 'answeredAt' | 'chosen' | 'failure'>
}

type ViewedConversation = Pick<Conversation, 'id' | 'reference' | 'recipient' | 'createdAt'> & {
  confirmation: ViewedCheck<Conversation['confirmation']>
  refusal: ViewedCheck<NonNullable<Conversation['refusal']>> | null
}

export function confirmationView(conversation: ViewedConversation): ConfirmationView {
  const { status, answeredAt, chosen, failure } = conversation.confirmation.state
  const refusal = conversation.refusal?.state
  const latest = latestOf(failure, refusal?.failure ?? null)
  return {
    confirmationId: conversation.id,
    reference: conversation.reference,
    to: conversation.recipient,
    status,
    answeredAt: answeredAt?.toISOString() ?? null,
    reschedule:
      status === 'rescheduled' && chosen ? { date: chosen.date, timeRange: chosen.timeRange, note: chosen.note } : null,
    refusalCheck: refusal
      ? {
          status: refusal.status,
          reason: refusal.chosen?.reason ?? null,
          note: refusal.chosen?.note ?? null,
          answeredAt: refusal.answeredAt?.toISOString() ?? null,
        }
      : null,
    failure: latest && failureView(latest.code),
    createdAt: conversation.createdAt.toISOString(),
  }
}

type Failure = { code: FailureCode; at: Date }

const latestOf = (confirmation: Failure | null, refusal: Failure | null): Failure | null =>
  confirmation && refusal ? (confirmation.at > refusal.at ? confirmation : refusal) : (confirmation ?? refusal)
