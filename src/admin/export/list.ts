import type { CodedText, PlainCode } from '../../../locales/text.ts'
import type { WorkspaceTime } from '../../workspaces/clock-moves.ts'
import type { dashboardRouter } from '../router.ts'

/** The dashboard's calls on behalf of a person: each checks membership and role again. */
export type Calls = ReturnType<typeof dashboardRouter.createCaller>

export type Cell = string | number | boolean | Date | CodedText | null | undefined

export type ColumnName<Code = PlainCode> = Code extends `export.column_${infer Name}` ? Name : never

/** A cell of a row. Times are in the workspace's time: `time` converts stored real ones. */
type Columns<Row> = Partial<Record<ColumnName, (row: Row, time: WorkspaceTime) => Cell>>

type ListPage<Row> = { rows: readonly Row[]; next: unknown }

/** A list as a person sees it on a page. `next` is the cursor of the next page, or null. */
export type ExportedList = {
  /** The parameters that the list's own call knows. */
  filters: readonly string[]
  columns: readonly ColumnName[]
  read(calls: Calls, input: object, time: WorkspaceTime): Promise<ExportedPage>
}

export type ExportedPage = { rows: readonly (readonly Cell[])[]; next: unknown }

/** The call validates its input, which comes from an address. */
export const list = <Row>(
  filters: readonly string[],
  read: (calls: Calls, input: never) => Promise<ListPage<Row>>,
  columns: Columns<Row>,
): ExportedList => ({
  filters,
  columns: Object.keys(columns) as ColumnName[],
  async read(calls, input, time) {
    const { rows, next } = await read(calls, input as never)
    return { rows: rows.map((row) => Object.values(columns).map((cell) => cell(row, time))), next }
  },
})
