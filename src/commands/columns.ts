/** Rows under headings, each column as wide as its longest text. Undefined without rows. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined
  const all = [headings, ...rows]
  const widths = headings.map((_, index) => Math.max(...all.map((row) => Array.from(row[index] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
