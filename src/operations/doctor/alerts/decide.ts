import { MINUTE_MS } from '../../../lib/clock.ts'
import { inEnglish } from '../../../../locales/resources.ts'
import { type Finding, findingText, fixText } from '../finding.ts'

/** A finding that an examination does not see again within this time raises no alert. */
export const RAISE_AFTER_MS = 2 * MINUTE_MS
/** Longer, so that what comes and goes is one alert. */
export const CLEAR_AFTER_MS = 10 * MINUTE_MS

/** A row of `doctor_findings`. */
export type StoredFinding = {
  check: string
  code: string
  severity: 'failure' | 'warning'
  found: boolean
  since: Date
  text: string
  fix: string
  raised: boolean
  hasAlert: boolean
}

/** What the row becomes. `alerts`: the last alert is replaced by one that tells of `raised`. */
export type NextFinding = Omit<StoredFinding, 'hasAlert'> & { alerts: boolean }

/** One finding can be of many endpoints or accounts: the text has a line for each of the first. */
const MAX_LINES = 20
const MAX_LINE_LENGTH = 500

/**
 * The rows after an examination. A check that was not made, failed, or took too long says nothing about its other findings,
 * so they stay as they are. Without `sends` no alert is raised or cleared: a setting that is added later sends what is wrong then.
 */
export function decideFindings(
  stored: readonly StoredFinding[],
  examined: readonly Finding[],
  { now, sends }: { now: Date; sends: boolean },
): { rows: NextFinding[]; over: Pick<StoredFinding, 'check' | 'code'>[] } {
  const keyOf = ({ check, code }: { check: string; code: string }): string => `${check} ${code}`
  const found = Map.groupBy(
    examined.filter(({ level }) => level !== 'ok'),
    keyOf,
  )
  const made = new Set<string>(examined.map(({ check }) => check))
  const unclear = new Set<string>(examined.filter(({ code }) => UNCLEAR.has(code)).map(({ check }) => check))
  const before = new Map(stored.map((row) => [keyOf(row), row]))
  const rows: NextFinding[] = []
  const over: Pick<StoredFinding, 'check' | 'code'>[] = []
  for (const key of new Set([...before.keys(), ...found.keys()])) {
    const row = before.get(key)
    const findings = found.get(key)
    const next = findings
      ? foundRow(row, findings, now)
      : row && made.has(row.check) && (UNCLEAR.has(row.code) || !unclear.has(row.check))
        ? { ...row, found: false, since: row.found || row.since > now ? now : row.since }
        : row
    if (!next) continue
    const heldMs = now.getTime() - next.since.getTime()
    const hasHeld = next.found ? findings !== undefined && heldMs >= RAISE_AFTER_MS : heldMs >= CLEAR_AFTER_MS
    const alerts = sends && next.found !== next.raised && hasHeld
    const { hasAlert, ...columns } = { hasAlert: false, ...next }
    if (!next.found && !next.raised && !hasAlert) over.push({ check: next.check, code: next.code })
    else rows.push({ ...columns, raised: alerts ? next.found : next.raised, alerts })
  }
  return { rows, over }
}

const UNCLEAR: ReadonlySet<string> = new Set(['check_failed', 'check_slow', 'skipped'])

function foundRow(
  row: StoredFinding | undefined,
  findings: readonly Finding[],
  now: Date,
): Omit<StoredFinding, 'hasAlert'> {
  const [{ check, code, level }] = findings as [Finding]
  const left = findings.length - MAX_LINES
  return {
    raised: false,
    ...row,
    check,
    code,
    severity: level === 'warning' ? 'warning' : 'failure',
    found: true,
    since: row?.found && row.since <= now ? row.since : now,
    text: [
      ...linesOf(findings.map((each) => inEnglish(findingText(each)))),
      ...(left > 0 ? [`More of the same kind: ${left}.`] : []),
    ].join('\n'),
    fix: linesOf(
      findings.map((each) => {
        const fix = fixText(each)
        return fix ? inEnglish(fix) : ''
      }),
    ).join('\n'),
  }
}

const linesOf = (texts: readonly string[]): string[] =>
  [...new Set(texts)].slice(0, MAX_LINES).map((text) => text.slice(0, MAX_LINE_LENGTH).toWellFormed())
