import { asWritten, coded } from '../../../locales/text.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { type SchemaState, findSchemaState } from '../../lib/db/migrate.ts'
import { isLockTimeout, sqlState } from '../../lib/db/pool.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import type { Check, Need, Instance } from './check.ts'
import { CHECKS } from './checks.ts'
import { type CheckName, type Finding, type NewFinding, durationText, inOrder, toFinding } from './finding.ts'

/** Longer than all unanswered calls to WhatsApp together. */
const MAX_CHECK_MS = 30 * SECOND_MS
/** The checks share the database with the messages that are being sent. */
const MAX_AT_ONCE = 3

export type Examination = {
  /** What was found while the parts of the instance were opened. */
  known?: readonly Finding[]
  /** Whether to make the checks that ask other systems than the database. */
  outside: boolean
  /** Or only those. */
  inside?: boolean
}

/** Runs the checks. A check that fails or hangs does not stop the others. */
export async function examine(
  instance: Partial<Omit<Instance, 'schema'>>,
  { known = [], outside, inside = true }: Examination,
): Promise<Finding[]> {
  const { opened, found } = await findOpen(instance)
  const reported = new Set([...known, ...found].map(({ check }) => check))
  const findings = [...known, ...found]
  const checks = CHECKS.filter(({ isOutside }) => (isOutside ? outside : inside)).values()
  const makeNext = async (): Promise<void> => {
    for (const check of checks) {
      const missing = check.needs.find((need) => opened[need] === undefined)
      if (missing === undefined) findings.push(...(await make(check, opened as Instance)))
      else if (!reported.has(check.name)) findings.push(skipped(check.name, missing))
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, makeNext))
  return inOrder(findings)
}

type Open = { opened: Partial<Instance>; found: Finding[] }

/** If the database does not answer, nothing in it is examined; without the schema, only what needs no tables. */
async function findOpen({ db, ...instance }: Partial<Omit<Instance, 'schema'>>): Promise<Open> {
  if (!db) return { opened: instance, found: [] }
  try {
    const { state } = await findSchemaState(db)
    return { opened: { ...instance, db, ...(USABLE.has(state) && { schema: true }) }, found: [] }
  } catch (error) {
    return { opened: instance, found: [unreachable(error)] }
  }
}

const USABLE: ReadonlySet<SchemaState['state']> = new Set(['current', 'newer'])

export const unreachable = (error: unknown): Finding =>
  toFinding('database', {
    code: 'database_unreachable',
    reason: asWritten(error instanceof Error ? error.message : String(error)),
  })

const skipped = (check: CheckName, missing: Need): Finding =>
  toFinding(check, { code: 'skipped', missing: coded(`doctor.missing_${missing}`) })

async function make(check: Check, instance: Instance): Promise<Finding[]> {
  const work = Promise.resolve().then(() => check.find(instance))
  const found = await withTimeout(MAX_CHECK_MS, work)
    .then((isOver): Promise<NewFinding[]> | NewFinding[] => (isOver ? work : tooSlow(work)))
    .catch((error: unknown): NewFinding[] => [failure(error)])
  const reported: NewFinding[] = found.length > 0 ? found : [{ code: 'ok' }]
  return reported.map((each) => toFinding(check.name, each))
}

function tooSlow(work: Promise<unknown>): NewFinding[] {
  work.catch(() => {}) // a late failure adds nothing
  return [{ code: 'check_slow', duration: durationText(MAX_CHECK_MS) }]
}

/** Another check names the session that has locked a table for a minute. */
const failure = (error: unknown): NewFinding =>
  isLockTimeout(error)
    ? { code: 'skipped', missing: coded('doctor.missing_lock') }
    : { code: 'check_failed', error: errorTextOf(error) }

/** Without the error's message, which may quote a row. */
const errorTextOf = (error: unknown): string =>
  error instanceof Error ? `${error.name} ${sqlState(error)}`.trim() : typeof error
