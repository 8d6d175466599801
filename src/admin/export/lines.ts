import { type Translator, plainText } from '../../../locales/text.ts'
import { BYTE_ORDER_MARK, type CsvValue, csvLine } from './csv.ts'
import type { Cell, ExportedList, ExportedPage } from './list.ts'

/** A spreadsheet has room for 1,048,576 rows. */
const MAX_ROWS = 1_000_000

type Export = Pick<ExportedList, 'columns'> & {
  first: ExportedPage
  readPage: (cursor: unknown) => Promise<ExportedPage>
  /** The time zone of deliveries. */
  timeZone: string
  translator: Translator
  /** For tests. */
  maxRows?: number
}

/**
 * The file in parts: each page is read after the previous one was consumed. The last line says if the file is cut off.
 */
export async function* linesOf({ columns, first, readPage, timeZone, translator, maxRows = MAX_ROWS }: Export) {
  const { textOf } = translator
  const valueOf = (cell: Cell): CsvValue => {
    if (cell instanceof Date) return timeText(cell, timeZone)
    return typeof cell === 'object' && cell !== null ? textOf(cell) : (cell ?? null)
  }
  yield BYTE_ORDER_MARK + csvLine(columns.map((column) => textOf(plainText(`export.column_${column}`))))
  let room = maxRows
  for (let page = first; ; page = await readPage(page.next)) {
    const rows = page.rows.slice(0, room)
    if (rows.length > 0) yield rows.map((row) => csvLine(row.map(valueOf))).join('')
    room -= rows.length
    const isCut = rows.length < page.rows.length || (room === 0 && page.next !== null)
    if (isCut) yield csvLine([textOf({ code: 'export.cut', max: maxRows })])
    if (isCut || page.next === null) return
  }
}

/** Such as `2026-11-23T09:30:00.000+01:00`. */
const timeText = (at: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
