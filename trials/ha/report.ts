import { median } from '../../bench/figures.ts'
import type { Debian } from './configuration.ts'
import type { Scenario } from './scenarios.ts'

export type Report = {
  scenario: Scenario
  accepted: number
  /** Accepted keys that were sent again after the failure, each answered with the first id. */
  repeated: number
  lost: number
  doubled: number
  /** Sent to the provider twice, each with an unknown outcome. */
  sentTwice: number
  /** Longest time without a 202. */
  gapMs: number
  /** The time from a request to its 202, including all repetitions: the 99th percentile. */
  p99Ms: number
  otherAnswers: string
  /**
   * The time from the start of the longest gap until `/readyz` of the slower node answered 503; undefined if no node
   * did.
   */
  notReadyAfterMs: number | undefined
  linesInWindow: number
  faults: readonly string[]
}

/** Ten seconds can overlap two windows of log.ts, each with 20 lines and a summary. The rest is for lines about other things. */
const MAX_LINES_IN_WINDOW = 60

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`)

const COLUMNS: readonly (readonly [string, (report: Report) => string])[] = [
  ['202s', ({ accepted }) => String(accepted)],
  ['repeated', ({ repeated }) => String(repeated)],
  ['lost', ({ lost }) => String(lost)],
  ['doubled', ({ doubled }) => String(doubled)],
  ['sent twice', ({ sentTwice }) => String(sentTwice)],
  ['without a 202', ({ gapMs }) => seconds(gapMs)],
  ['p99', ({ p99Ms }) => seconds(p99Ms)],
  ['other answers', ({ otherAnswers }) => otherAnswers],
  ['not ready after', ({ notReadyAfterMs }) => seconds(notReadyAfterMs)],
  ['log lines in 10 s', ({ linesInWindow }) => String(linesInWindow)],
]

export function printReports(reports: readonly Report[]): void {
  const rows = reports.map((report) => [report.scenario.title, ...COLUMNS.map(([, show]) => show(report))])
  const all = [['scenario', ...COLUMNS.map(([title]) => title)], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length))) ?? []
  for (const row of all)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Why the run failed; empty if it did not. */
export function checkReports(reports: readonly Report[], debian: Debian): string[] {
  const ran = [...new Set(reports.map(({ scenario }) => scenario))]
  return [...reports.flatMap(checkOne), ...ran.flatMap((scenario) => checkGaps(scenario, reports, debian))]
}

function checkOne({ scenario, lost, doubled, linesInWindow, faults }: Report): string[] {
  const found = [...faults]
  if (scenario.isSynchronous && lost > 0) found.push(`${lost} accepted requests were lost`)
  if (!scenario.isSynchronous && lost === 0)
    found.push('the control lost nothing, so this run has not shown that synchronous replication prevents a loss')
  if (doubled > 0) found.push(`${doubled} requests were stored twice`)
  if (linesInWindow > MAX_LINES_IN_WINDOW)
    found.push(`a node logged ${linesInWindow} lines in 10 s, more than ${MAX_LINES_IN_WINDOW}`)
  return found.map((fault) => `${scenario.name}: ${fault}`)
}

/** The median: other programs on a busy machine delay single switchovers. */
function checkGaps(scenario: Scenario, reports: readonly Report[], debian: Debian): string[] {
  const maxGapMs = scenario.maxGapMs[debian]
  const gapMs = median(reports.filter((each) => each.scenario === scenario).map((each) => each.gapMs))
  if (gapMs <= maxGapMs) return []
  return [`${scenario.name}: nothing was accepted for ${seconds(gapMs)}, more than ${seconds(maxGapMs)}`]
}
