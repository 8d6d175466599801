/** One line of the table that the bench prints. */
export type Figure = {
  part: string
  what: string
  figure: string
  /** Without one the figure is only reported. */
  goal?: { text: string; met: boolean }
}

export const atLeast = (value: number, min: number, unit = ''): NonNullable<Figure['goal']> => ({
  text: `≥ ${min.toLocaleString('en-US')}${unit}`,
  met: value >= min,
})

export const atMost = (value: number, max: number, unit = ''): NonNullable<Figure['goal']> => ({
  text: `≤ ${max.toLocaleString('en-US')}${unit}`,
  met: value <= max,
})

export const count = (value: number): string => Math.round(value).toLocaleString('en-US')
export const perSecond = (value: number): string => `${count(value)}/s`
export const times = (value: number): string => `${value.toFixed(2)} ×`
export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : count(value)} ms`
export const megabytes = (bytes: number): string => `${count(bytes / 1024 / 1024)} MB`
export const share = (part: number): string => `${count(part * 100)} %`

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** `at` from 0 to 1. */
export function percentile(values: readonly number[], at: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}

export function printTable(figures: readonly Figure[]): void {
  const lines = [
    ['', 'what', 'figure', 'goal', ''],
    ...figures.map(({ part, what, figure, goal }, index) => [
      figures[index - 1]?.part === part ? '' : part,
      what,
      figure,
      goal?.text ?? '',
      goal ? (goal.met ? 'pass' : 'MISS') : '',
    ]),
  ]
  printLines(lines)
}

/** Prints a table in Markdown. The first line is its head. */
export function printLines(lines: readonly (readonly string[])[]): void {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const row = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = lines
  console.log([row(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest.map(row)].join('\n'))
}
