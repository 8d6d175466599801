import { z } from 'zod'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { recipient } from '../../lib/http/fields.ts'
import { otpReference } from '../view.ts'
import { VERIFICATION_STATUSES, type VerificationState, attemptsLeft } from './decide.ts'
import { nextResendAt, resendsLeft } from './limits.ts'

export const verificationId = z.uuid().meta({
  description:
    'The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.',
})

export const verificationStatus = z.enum(VERIFICATION_STATUSES).meta({
  description:
    '`pending`: the code can be checked; `approved`: the right code was checked; `expired`: its time passed; `locked`: too many wrong codes were checked.',
})

export const attemptsLeftSchema = z.int().meta({
  description: 'How many wrong codes are left before the verification is locked; 0 when it is over.',
})

const instant = z.iso.datetime()

/** A verification in responses and events. It never contains the code (docs/otp.md#the-code). */
export const verificationSchema = z
  .strictObject({
    verificationId,
    status: verificationStatus,
    reference: otpReference,
    to: recipient,
    createdAt: instant.meta({ description: 'When the request was accepted.' }),
    expiresAt: instant.meta({ description: 'When the code expires: from then on it is not approved.' }),
    attemptsLeft: attemptsLeftSchema,
    resendsLeft: z
      .int()
      .meta({ description: 'How often the code can be sent again; 0 when the verification is over.' }),
    nextResendAt: instant.nullable().meta({
      description: 'When the code can be sent again; null if it cannot.',
    }),
    endedAt: instant.nullable().meta({
      description: 'When the verification was approved, locked or found expired; null while it is pending.',
    }),
  })
  .meta({ id: 'OtpVerification' })

export type VerificationRow = VerificationState & {
  id: string
  workspaceId: string
  recipient: string
  reference: string | null
  createdAt: Date
  sentAt: readonly Date[]
}

export const verificationView = (row: VerificationRow): z.infer<typeof verificationSchema> => ({
  verificationId: row.id,
  status: row.status,
  reference: row.reference,
  to: row.recipient,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  attemptsLeft: attemptsLeft(row),
  resendsLeft: resendsLeft(row),
  nextResendAt: nextResendAt(row)?.toISOString() ?? null,
  endedAt: row.endedAt?.toISOString() ?? null,
})

/** Of a VerificationRow: the verification `v` and its first message `m`. */
export const VERIFICATION_COLUMNS = `v.id, v.workspace_id as "workspaceId", v.status, v.recipient, m.reference,
     v.created_at as "createdAt", v.expires_at as "expiresAt", v.max_attempts as "maxAttempts", v.sent_at as "sentAt",
     v.wrong_at as "wrongAt", v.ended_at as "endedAt"`

export const FIRST_MESSAGE = `cross join lateral (
     select * from messages m where m.workspace_id = v.workspace_id and m.id = v.id limit 1) m`

const find: Statement<VerificationRow> = statement(
  'find_verification',
  `select ${VERIFICATION_COLUMNS} from otp_verifications v ${FIRST_MESSAGE} where v.workspace_id = $1 and v.id = $2`,
)

export const findVerification = (sql: Sql, workspaceId: string, id: string): Promise<VerificationRow | undefined> =>
  sql.row(find, [workspaceId, id])
