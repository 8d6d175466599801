export type CsvValue = string | number | boolean | null

/** Excel reads a file as UTF-8 only if it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** One record with its line end (RFC 4180). */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(field).join(',')}\r\n`

function field(value: CsvValue): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? safeText(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Full-width signs count too: East Asian spreadsheets treat them like the others. Invisible characters may come first.
 */
const BEGINS_LIKE_A_FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** A spreadsheet runs text that begins like a formula, and customers and callers choose the text. */
const safeText = (text: string): string => (BEGINS_LIKE_A_FORMULA.test(text) ? `'${text}` : text)
