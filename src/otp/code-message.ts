import {
  type Acceptable,
  type Acceptance,
  type Decision,
  FACT_COLUMNS,
  type Facts,
  createAcceptor,
  makesRow,
} from '../accept/engine.ts'
import { insertWithinQuota } from '../accept/within-quota.ts'
import {
  type Sendable,
  blockedError,
  missingError,
  sendableColumns,
  templateOf,
  unavailableError,
} from '../accounts/sendable.ts'
import { otpUnusableReason } from '../accounts/templates/usability.ts'
import { later } from '../lib/clock.ts'
import { type Sql, bytea, statement } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import { CLAIM_COLUMNS, type NewMessage, claimAccepted, claimValues } from '../messages/queue/claim-accepted.ts'
import { ORIGIN_COLUMNS, type Origin, type SealedOrigin, originOf } from '../messages/queue/lock-senders.ts'
import { OTP_SUBMISSION_WINDOW_MS } from '../messages/submission-window.ts'
import type { SealingKey } from '../lib/seal.ts'
import { tables } from '../operations/columns.ts'
import { createKeyFinder } from '../operations/secrets/instance.ts'
import type { Parts } from '../runtime/parts.ts'

export type CodeParts = Pick<
  Parts,
  'clock' | 'seal' | 'wake' | 'live' | 'metrics' | 'tracer' | 'acceptedMessages' | 'fairShare'
> & {
  db: Sql
}

/** How one kind of request for a code is looked up, decided and stored. */
type CodeAcceptance<Request extends Acceptable, Found extends CodeFacts, Accepted, New extends CodeRow> = Pick<
  Acceptance<Request, Found, Accepted, New>,
  'target' | 'lookUp' | 'accepted'
> &
  ReturnType<typeof codeInserts> & {
    /** The response, or what makes the row if only the instance key and the quota are left to check. */
    decide: (request: Request, facts: Found) => CodeDecision<Accepted, New>
    /** Without it, a code may wait for OTP_SUBMISSION_WINDOW_MS before it is sent. */
    validForMs?: (request: Request, facts: Found) => number
  }

/** The row is sealed with the instance key. */
export type CodeDecision<Accepted, New extends CodeRow> = Decision<Accepted, New, [key: SealingKey, id: string]>

/** Accepts codes: the idempotency key, the unit of quota and the message commit together. Throws the first ApiError; a rejected request stores nothing. */
export function createCodeAcceptor<Request extends Acceptable, Found extends CodeFacts, Accepted, New extends CodeRow>(
  parts: CodeParts,
  { decide, validForMs, ...common }: CodeAcceptance<Request, Found, Accepted, New>,
): (request: Request) => Promise<Accepted> {
  const findKey = createKeyFinder(parts.seal)
  const newCode = createNewCode(parts)
  const acceptance: Acceptance<Request, Found, Accepted, New> = {
    ...common,
    quota: 'otp',
    overQuota: 'OTP_QUOTA_EXCEEDED',
    windowMs: OTP_SUBMISSION_WINDOW_MS,
    decide(request, facts) {
      const decided = decide(request, facts)
      if (!makesRow(decided)) return decided
      const key = findKey(facts.keyCheck)
      return key ? (id) => decided(key, id) : keyChanged()
    },
    newMessage(request, facts, { row, now }) {
      const windowMs = Math.min(OTP_SUBMISSION_WINDOW_MS, validForMs?.(request, facts) ?? OTP_SUBMISSION_WINDOW_MS)
      return newCode(row, facts, { workspaceId: request.workspaceId, submitBy: later(now, windowMs) })
    },
  }
  return createAcceptor(parts, acceptance, announceTo(parts))
}

/** The columns of every look-up for a code. */
export type CodeFacts = Facts & Sendable & CodeOrigin & { keyCheck: Buffer }

export const CODE_FACT_COLUMNS = `${FACT_COLUMNS}, (select key_check from instance where only_row) as "keyCheck",
          ${sendableColumns('OTP')}, ${ORIGIN_COLUMNS}`

/** Runs after codes were accepted, with the workspace of each. `waits`: not all of them were claimed with their commit. */
const announceTo =
  ({ wake, live, metrics }: Pick<Parts, 'wake' | 'live' | 'metrics'>) =>
  (workspaceIds: readonly string[], { waits }: { waits: boolean }): void => {
    metrics.otpAccepted.inc(workspaceIds.length)
    if (waits) wake('submit')
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

/** The columns of a look-up that only sending needs; null without a sender. */
type CodeOrigin = {
  [Column in keyof SealedOrigin as Exclude<Column, 'breakerStep'>]: SealedOrigin[Column] | null
}

/** Makes the message of an accepted code, for a statement that may claim it. Returns undefined if the account's token does not open. */
function createNewCode({ seal }: Pick<Parts, 'seal'>) {
  const origins = new WeakMap<object, Origin | undefined>()
  const originFrom = (facts: CodeOrigin): Origin | undefined => {
    if (!origins.has(facts)) origins.set(facts, originOf(seal, { ...(facts as SealedOrigin), breakerStep: 0 }))
    return origins.get(facts)
  }
  return (
    row: CodeRow,
    facts: CodeOrigin & Sendable,
    of: { workspaceId: string; submitBy: Date },
  ): NewMessage | undefined => {
    const origin = originFrom(facts)
    return (
      origin && {
        ...origin,
        ...of,
        id: row.id,
        senderId: row.sender_id,
        recipient: row.recipient,
        kind: 'otp',
        templateName: row.name,
        templateLanguage: row.language,
        components: facts.templateComponents,
        content: null,
        conversation: null,
        code: Buffer.from(row.code.slice(2), 'hex'),
        attempts: 1,
        unknownOutcomes: 0,
        lastFailureCode: null,
        finishTries: 0,
        followsOpenAttempt: false,
        endedLease: null,
        unbegunLease: null,
        hasUnreadReport: false,
        missedReports: false,
      }
    )
  }
}

/** The columns of every code's row. `code`: sealed, as PostgreSQL writes bytes. */
export type CodeRow = { id: string; sender_id: string; recipient: string; name: string; language: string; code: string }

type ClaimColumns = { columns: string; values: string }

const CLAIM_PARAMETERS = { lease: '$6', nodeId: '$7', until: '$8', ids: '$9', now: '$2' }
const CLAIMED: ClaimColumns = { columns: CLAIM_COLUMNS, values: claimValues(CLAIM_PARAMETERS) }
const UNCLAIMED: ClaimColumns = { columns: 'status, due_at', values: `'queued', $2` }

type InsertedCodes = {
  columns: readonly string[]
  inserted: (claim: ClaimColumns) => string
}

/**
 * The statements that insert codes as long as the quota of their workspaces has units: one that also claims them, and one that leaves them to
 * the loop. `columns`: of a request, besides those of every code. `inserted`: common table expressions that insert the rows of
 * `allowed`, with the columns of the claim. A node that was frozen through a rotation stores nothing under the former key: `key_check` has
 * changed. It is compared after the quota is locked: a repeat must wait for a first try that still runs, or it could not see that the
 * try took the last unit.
 */
export function codeInserts(name: string, { columns, inserted }: InsertedCodes) {
  const within = (allowed: string, returned: string): string =>
    insertWithinQuota('otp', {
      columns: [...CODE_COLUMNS, ...columns].join(', '),
      inserted: `accepted as (
     -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
     select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
   ), ${allowed}`,
      returned,
    })
  return {
    insert: statement<{ id: string }>(
      `insert_${name}_within_quota`,
      within(`allowed as (select * from accepted), ${inserted(UNCLAIMED)}`, 'id'),
    ),
    insertAndClaim: statement<{ id: string; isClaimed: boolean }>(
      `insert_and_claim_${name}_within_quota`,
      within(
        claimAccepted(CLAIM_PARAMETERS, inserted(CLAIMED)),
        'id, (id in (select id from claimed)) is true as "isClaimed"',
      ),
    ),
  }
}

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
