import { type EventParts, transactionWithEvents } from '../../events/record.ts'
import { later } from '../../lib/clock.ts'
import { createFairBatcher } from '../../lib/db/fair-batcher.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { ApiError } from '../../lib/errors.ts'
import type { Parts } from '../../runtime/parts.ts'
import { keyChanged } from '../code-message.ts'
import { isRightCode } from './code.ts'
import { type NewChecks, countChecks } from './check-counts.ts'
import { type VerificationStatus, attemptsLeft, checkCode } from './decide.ts'
import { ended, notFound } from './errors.ts'
import { type LockedVerification, lockVerifications, nameOf, openCodeKey, storeVerifications } from './store.ts'

type CheckParts = EventParts & Pick<Parts, 'clock' | 'seal' | 'live'>

export type CheckRequest = { workspaceId: string; verificationId: string; code: string }

export type CheckResult = { verificationId: string; status: VerificationStatus; attemptsLeft: number }

/** Checks that share a transaction. */
const MAX_GROUP = 256
const GROUP_CONCURRENCY = 2

/**
 * Checks codes in groups: what arrives while a group is in progress is locked, compared and committed together, one check after
 * another. A check that returns is committed: no attempt is lost, and a verification is approved once.
 */
export function createChecker(parts: CheckParts): (request: CheckRequest) => Promise<CheckResult> {
  const checkInGroup = createFairBatcher<CheckRequest, CheckResult | ApiError>(
    async (requests) => {
      const outcomes = await transactionWithEvents(parts, (tx) => checkTogether(tx, parts, requests))
      parts.live.changed([...new Set(requests.map(({ workspaceId }) => workspaceId))])
      return outcomes
    },
    { maxItems: MAX_GROUP, concurrency: GROUP_CONCURRENCY, ownerOf: ({ workspaceId }) => workspaceId },
  )
  return async (request) => {
    const outcome = await checkInGroup(request)
    if (outcome instanceof ApiError) throw outcome
    return outcome
  }
}

async function checkTogether(tx: Sql, parts: Pick<Parts, 'clock' | 'seal'>, requests: readonly CheckRequest[]) {
  const names = requests.map(({ workspaceId, verificationId: id }) => ({ workspaceId, id }))
  const locked = await lockVerifications(tx, names)
  // After the locks: a check that waited may have been overtaken by the end of the verification's time.
  const now = parts.clock.now()
  const changed = new Map<string, LockedVerification>()
  const outcomes = requests.map((request, index): CheckResult | ApiError => {
    const name = nameOf(names[index] ?? { workspaceId: '', id: '' })
    const before = changed.get(name) ?? locked.get(name)
    if (!before) return notFound()
    // Only the check that approved a verification says so: a code counts once.
    if (before.status === 'approved') return ended(before.status)
    const after = checkOne(before, { code: request.code, now, seal: parts.seal })
    if (after instanceof ApiError) return after
    if (after !== before) changed.set(name, after)
    return { verificationId: after.id, status: after.status, attemptsLeft: attemptsLeft(after) }
  })
  await storeVerifications(tx, now, [...changed.values()])
  await countChecks(tx, newChecks(locked, [...changed.values()], now))
  return outcomes
}

/** Of each workspace: the codes that were right, and those that used an attempt. */
function newChecks(
  before: ReadonlyMap<string, LockedVerification>,
  changed: readonly LockedVerification[],
  now: Date,
): NewChecks[] {
  return Array.from(
    Map.groupBy(changed, ({ workspaceId }) => workspaceId),
    ([workspaceId, all]) => {
      const counts = { right: 0, wrong: 0 }
      for (const verification of all) {
        const { wrongAt = [] } = before.get(nameOf(verification)) ?? {}
        counts.wrong += verification.wrongAt.length - wrongAt.length
        if (verification.status === 'approved') counts.right += 1
      }
      return { workspaceId, at: later(now, all[0]?.clockOffsetMs ?? 0), ...counts }
    },
  ).filter(({ right, wrong }) => right + wrong > 0)
}

function checkOne(
  verification: LockedVerification,
  { code, now, seal }: Pick<Parts, 'seal'> & { code: string; now: Date },
): LockedVerification | ApiError {
  const { id, codeKey, codeHash: hash, clockOffsetMs } = verification
  const key = codeKey && openCodeKey(seal, { id, codeKey })
  if (codeKey && !key) return keyChanged()
  const isRight = !!key && !!hash && isRightCode({ key, hash }, code)
  return checkCode(verification, { isRight, now: later(now, clockOffsetMs) })
}
