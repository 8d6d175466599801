import { z } from 'zod'
import type { Sql } from '../lib/db/pool.ts'
import { recipient } from '../lib/http/fields.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import { CONFIRMATION_STATUSES } from './conversation/confirmation.ts'
import { REFUSAL_STATUSES } from './conversation/refusal.ts'
import { type Conversation, findConversations } from './conversation/store.ts'

export const rescheduleSchema = z
  .strictObject({
    date: z.iso
      .date()
      .nullable()
      .meta({ description: 'The chosen day, in the delivery time zone of the workspace. Null if none was chosen.' }),
    timeRange: z.string().nullable().meta({
      description: 'The label of the chosen time range, in the language of the template. Null if none was chosen.',
    }),
    note: z
      .string()
      .nullable()
      .meta({ description: 'What the customer wrote instead of choosing. Null without a note.' }),
  })
  .meta({ id: 'Reschedule' })

export const refusalCheckSchema = z
  .strictObject({
    status: z.enum(REFUSAL_STATUSES).meta({
      description:
        '`accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.',
    }),
    reason: z.string().nullable().meta({
      description: 'The label of the chosen reason, in the language of the template. Null if none was chosen.',
    }),
    note: z.string().nullable().meta({ description: 'What the customer wrote about the reason. Null without a note.' }),
    answeredAt: z.iso.datetime().nullable().meta({
      description: 'When the customer gave the answer in force. Null without one.',
    }),
  })
  .meta({ id: 'RefusalCheck' })

export const confirmationId = z.uuid().meta({ description: 'The id of the confirmation; `GET` reads it.' })

export const orderReference = z.string().meta({ description: 'The `reference` of the request: your order.' })

export const confirmationSchema = z
  .strictObject({
    confirmationId,
    reference: orderReference,
    to: recipient,
    status: z.enum(CONFIRMATION_STATUSES).meta({
      description:
        '`accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.',
    }),
    answeredAt: z.iso.datetime().nullable().meta({
      description:
        'When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`.',
    }),
    reschedule: rescheduleSchema.nullable().meta({
      description: 'The delivery time that the customer asked for. Null unless `status` is `rescheduled`.',
    }),
    refusalCheck: refusalCheckSchema.nullable().meta({
      description: 'Whether the customer refused the parcel. Null until a refusal check is requested.',
    }),
    failure: failureSchema.nullable().meta({
      description: 'The latest failure of the confirmation or of its refusal check. Null without one.',
    }),
    createdAt: z.iso.datetime().meta({ description: 'When the request was accepted.' }),
  })
  .meta({ id: 'Confirmation' })

/** A confirmation as GET and events show it. */
export type ConfirmationView = z.infer<typeof confirmationSchema>

export async function findConfirmation(sql: Sql, workspaceId: string, confirmationId: string) {
  const [conversation] = await findConversations(sql, workspaceId, [confirmationId])
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
