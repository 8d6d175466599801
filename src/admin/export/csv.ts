export type CsvValue = string | number | boolean | null

/** Excel reads a file as UTF-8 only if it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** One record with its line end (RFC 4180). */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(field).join(',')}\r\n`

function field(value: CsvValue): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? safeText(value) : String(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Full-width signs count too: East Asian spreadsheets treat them like the others. */
const FORMULA_SIGN = /^[=+\-@＝＋－＠]/

/**
 * A spreadsheet that does not split at commas, such as a French Excel, takes our quotes for text when they are not at the
 * beginning of its cell: then each of these characters inside a value begins another cell or row.
 */
const SEPARATORS = /[;|\t\n\v\f\r\u0085\u2028\u2029]/g

/** Separators, and what may stand before a formula unseen: spaces, invisible characters and quotes. */
const HIDES_A_FORMULA = /[;|"\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** A spreadsheet runs text that begins like a formula, and customers and clients of the API choose the text. */
function safeText(text: string): string {
  const safe = text.replace(HIDES_A_FORMULA, (hidden: string, at: number) =>
    FORMULA_SIGN.test(text.slice(at + hidden.length, at + hidden.length + 1))
      ? `${at === 0 ? `'` : ''}${hidden.replace(SEPARATORS, `$&'`)}`
      : hidden,
  )
  return FORMULA_SIGN.test(safe) || /^[\t\r]/.test(safe) ? `'${safe}` : safe
}
