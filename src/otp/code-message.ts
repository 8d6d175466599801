import { insertWithinQuota } from '../accept/within-quota.ts'
import { type Sendable, blockedError, missingError, templateOf, unavailableError } from '../accounts/sendable.ts'
import { otpUnusableReason } from '../accounts/templates/usability.ts'
import { bytea } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import type { SealingKey } from '../lib/seal.ts'
import { tables } from '../operations/columns.ts'
import type { Parts } from '../runtime/parts.ts'

/** Runs after codes were accepted, with the workspace of each. */
export const announceTo =
  ({ wake, live, metrics }: Pick<Parts, 'wake' | 'live' | 'metrics'>) =>
  (workspaceIds: readonly string[]): void => {
    metrics.otpAccepted.inc(workspaceIds.length)
    wake('submit')
    live.changed(workspaceIds)
  }

/** Why a code cannot be sent, in the order of docs/api.md#order-of-checks. Returns undefined if only the quota is left to check. */
export const sendError = (recipient: string, facts: Sendable): ApiError | undefined =>
  missingError('OTP', facts) ??
  unavailableError('OTP', facts) ??
  unusableTemplate(facts) ??
  blockedError(recipient, facts)

function unusableTemplate(facts: Sendable): ApiError | undefined {
  const reason = otpUnusableReason(templateOf(facts))
  return reason === undefined ? undefined : new ApiError('OTP_TEMPLATE_NOT_USABLE', reason)
}

/** This process does not know the key in use. The statements that insert rows compare it again. */
export const keyChanged = (): ApiError => new ApiError('SERVICE_UNAVAILABLE', { code: 'secrets.key_changed' })

/** The code of a message, until it is sent. */
export const sealedCode = (key: SealingKey, messageId: string, code: string): string =>
  bytea(key.close(code, tables.messages.sealed.code(messageId)))

/**
 * Inserts codes as long as the quota of their workspaces has units. `columns`: of a request, besides those of every code. `inserted`:
 * common table expressions that insert the rows of `allowed`. A node that was frozen through a rotation stores nothing under the
 * former key: `key_check` has changed. It is compared after the quota is locked: a repeat must wait for a first try that still runs,
 * or it could not see that the try took the last unit.
 */
export const insertCodes = (columns: readonly string[], inserted: string): string =>
  insertWithinQuota('otp', {
    columns: [...CODE_COLUMNS, ...columns].join(', '),
    inserted: `allowed as (
     select * from numbered where unit <= monthly_units and $5 = (select key_check from instance where only_row)
   ), ${inserted}`,
  })

const CODE_COLUMNS = [
  'id uuid',
  'sender_id uuid',
  'recipient text',
  'name text',
  'language text',
  'reference text',
  'key text',
  'code bytea',
  'deliver_within_seconds smallint',
  'correlation_id uuid',
  'api_key_id text',
]
