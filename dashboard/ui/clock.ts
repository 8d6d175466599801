import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts'
import { type WorkspaceTime, workspaceTime } from '../../src/workspaces/clock-moves.ts'
import { DAY, DAY_OF_YEAR, MINUTE, dateFormat, numberFormat, relativeFormat } from '../texts/formats.ts'
import type { Workspace } from './workspace.ts'

/**
 * What a stored instant means. `workspace`: already in the workspace's time. `past`: a real instant that has passed.
 * `due`: a real instant that each move of the clock brings nearer. `real`: shown in real time, outside any workspace.
 */
export type TimeKind = 'workspace' | 'past' | 'due' | 'real'

export type WorkspaceClock = {
  /** What the workspace's clock shows at the instant, and the real instant. */
  read: (instant: Date, kind: TimeKind) => { shown: Date; real: Date }
  now: () => Date
  /** For calls that filter stored instants: what a person chose is in the workspace's time. */
  realOf: (chosen: string | undefined) => string | undefined
}

type WorkspaceMoves = Pick<Workspace, 'clockOffsetMs' | 'clockMoves'>

export function workspaceClock({ clockOffsetMs, clockMoves }: WorkspaceMoves): WorkspaceClock {
  const listed = clockMoves.reduce((sum, { byMs }) => sum + byMs, 0)
  const time = workspaceTime(
    clockMoves.map(({ at, byMs }) => ({ moved_at: new Date(at), by_ms: byMs })),
    clockOffsetMs - listed,
  )
  return {
    read: (instant, kind) => READ[kind](instant, time),
    now: () => time.due(new Date()),
    realOf: (chosen) => (chosen === undefined ? undefined : time.realOf(new Date(chosen)).toISOString()),
  }
}

const READ = {
  workspace: (shown, { realOf }) => ({ shown, real: realOf(shown) }),
  past: (real, { at }) => ({ shown: at(real), real }),
  due: (real, { due }) => ({ shown: due(real), real }),
  real: (real) => ({ shown: real, real }),
} satisfies Record<TimeKind, (instant: Date, time: WorkspaceTime) => { shown: Date; real: Date }>

const RELATIVE_UNITS = [
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

/** What a reader knows without counting back: `3 min ago`; from a day on `Nov 26, 17:38`, with the year if it is another one. */
export function nearTime(
  instant: Date,
  now: Date,
  { language, timeZone }: { language: string; timeZone: string },
): string {
  if (Math.abs(instant.getTime() - now.getTime()) < DAY_MS) return relativeTime(instant, now, language)
  const year = dateFormat(language, { timeZone, year: 'numeric' })
  const isThisYear = year.format(instant) === year.format(now)
  return dateFormat(language, { timeZone, ...(isThisYear ? DAY_OF_YEAR : DAY), ...MINUTE }).format(instant)
}

/**
 * `3 min ago`, `in 2 hr.`, `now` within a minute. Rounded towards the present, so that no time looks older than it is.
 */
function relativeTime(instant: Date, now: Date, language: string): string {
  const seconds = (instant.getTime() - now.getTime()) / 1_000
  const { unit, seconds: size } = RELATIVE_UNITS.find((each) => Math.abs(seconds) >= each.seconds) ?? {
    unit: 'second' as const,
    seconds: 1,
  }
  const format = relativeFormat(language, { numeric: 'auto', style: 'short' })
  return format.format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit)
}

/** How far a clock is ahead, in its two largest units: `1d 3h`. */
export function aheadText(aheadMs: number, language: string): string {
  const parts = [
    { unit: 'day', count: Math.floor(aheadMs / DAY_MS) },
    { unit: 'hour', count: Math.floor((aheadMs % DAY_MS) / HOUR_MS) },
    { unit: 'minute', count: Math.floor((aheadMs % HOUR_MS) / MINUTE_MS) },
  ] as const
  const unitDisplay = language === 'ar' ? 'long' : 'narrow'
  const shown = parts.filter(({ count }) => count > 0).slice(0, 2)
  return (shown.length > 0 ? shown : [parts[2]])
    .map(({ unit, count }) => numberFormat(language, { style: 'unit', unit, unitDisplay }).format(count))
    .join(language === 'ar' ? ' و' : ' ')
}

const SPAN_UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: MINUTE_MS },
  { unit: 'second', ms: SECOND_MS },
  { unit: 'millisecond', ms: 1 },
] as const

const unitOf = (spanMs: number) =>
  SPAN_UNITS.find((each) => spanMs >= each.ms) ?? { unit: 'millisecond' as const, ms: 1 }

/** Arabic has no clear abbreviations of units. */
const unitFormat = (unit: string, maximumFractionDigits: number, language: string): Intl.NumberFormat =>
  numberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: language === 'ar' ? 'long' : 'short',
    maximumFractionDigits,
  })

/** Shows a span in its largest unit, with one decimal below ten: `340 ms`, `2.5 sec`, `3 hr`. */
export function spanText(spanMs: number, language: string): string {
  const { unit, ms } = unitOf(spanMs)
  const count = spanMs / ms
  return unitFormat(unit, count < 10 ? 1 : 0, language).format(count)
}

/** `5–15 min`, `30–60 min`: in the unit of the start, which is never more precise than the range. */
export function rangeText(fromMs: number, untilMs: number, language: string): string {
  const { unit, ms } = unitOf(fromMs > 0 ? fromMs : untilMs)
  return unitFormat(unit, 1, language).formatRange(fromMs / ms, untilMs / ms)
}
