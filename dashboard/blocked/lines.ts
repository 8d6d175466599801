/** One line of what was pasted or read from a file, by its number there. */
export type Line = { line: number; phone: string; reason: string }

export const LINES_MOST = 50_000
/** What one call takes. */
export const BATCH_LINES = 500
/** Far above LINES_MOST lines of any use. */
export const FILE_BYTES_MOST = 5 * 1024 * 1024

/** What a call takes; longer ones are wrong whatever they go on with. */
const CELL_MOST = 1_000

/**
 * The lines with something in them: a phone, and a reason in the cell behind it. Cells end with a comma, a semicolon or a
 * tab, and may be quoted. A first line without any digit is a heading.
 */
export function linesOf(text: string): Line[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((content, index) => ({ content: content.trim(), line: index + 1 }))
    .filter(({ content, line }) => content !== '' && !(line === 1 && !/\p{Nd}/u.test(content)))
    .map(({ content, line }) => {
      const [phone = '', reason = ''] = cellsOf(content)
      return { line, phone: phone.slice(0, CELL_MOST), reason: reason.slice(0, CELL_MOST) }
    })
}

const CELL = /(?:^|[,;\t])[ ]*(?:"((?:[^"]|"")*)"[ ]*(?=[,;\t]|$)|([^,;\t]*))/g

const cellsOf = (content: string): string[] =>
  Array.from(content.matchAll(CELL), ([, quoted, plain]) =>
    (quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"')).trim(),
  )

export function batchesOf(lines: readonly Line[]): Line[][] {
  const batches: Line[][] = []
  for (let from = 0; from < lines.length; from += BATCH_LINES) batches.push(lines.slice(from, from + BATCH_LINES))
  return batches
}

/** What is left of a text when only these lines stay, so that they can be mended and tried again. */
export function onlyLines(text: string, lines: ReadonlySet<number>): string {
  return text
    .split(/\r\n|\r|\n/)
    .filter((_, index) => lines.has(index + 1))
    .join('\n')
}
