/** One line of pasted text or of a file, with its line number. */
export type Line = { line: number; phone: string; reason: string }

export const MAX_LINES = 50_000
/** The maximum of one call. */
export const BATCH_LINES = 500
/** Far larger than any useful file of MAX_LINES lines. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/** The maximum of a call; a longer cell is always wrong, so the rest is not sent. */
const MAX_CELL = 1_000

/**
 * The lines that are not empty: a phone, and a reason in the next cell. Cells end with a comma, a semicolon or a
 * tab, and may be quoted. A first line without any digit is a heading. A phone in an exported list has an apostrophe
 * before its plus (src/admin/export/csv.ts).
 */
export function linesOf(text: string): Line[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((content, index) => ({ content: content.trim(), line: index + 1 }))
    .filter(({ content, line }) => content !== '' && !(line === 1 && !/\p{Nd}/u.test(content)))
    .map(({ content, line }) => {
      const [phone = '', reason = ''] = cellsOf(content)
      return { line, phone: phone.replace(/^'/, '').slice(0, MAX_CELL), reason: reason.slice(0, MAX_CELL) }
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

/** Keeps only these lines of the text, to be fixed and imported again. */
export function onlyLines(text: string, lines: ReadonlySet<number>): string {
  return text
    .split(/\r\n|\r|\n/)
    .filter((_, index) => lines.has(index + 1))
    .join('\n')
}
