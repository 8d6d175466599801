import { type Batcher, createBatcher } from './batcher.ts'
import { type Sql, type Statement, type Value, statement } from './pool.ts'

/** A statement that reads 500 rows of each workspace reads at most 12,500. */
const MAX_WORKSPACES_PER_BATCH = 25

/** `workspacePosition`: of the row's workspace in the array, from 1. */
type BatchRow = { workspacePosition: number }

const batchStatements = new Map<unknown, Statement<BatchRow>>()

/** Declares a statement whose $1 is a workspace id, and its batch form, whose $1 is an array of workspace ids. */
export function workspaceStatement<Row>(name: string, text: string): Statement<Row> {
  const single = statement<Row>(name, text)
  const batched = statement<BatchRow>(
    `${name}_batch`,
    // "offset 0" keeps PostgreSQL from planning a join with all rows of a table
    `select batch.position as "workspacePosition", r.*
   from unnest($1::uuid[]) with ordinality as batch (id, position)
   cross join lateral (
   ${text.replaceAll(/\$1\b/g, 'batch.id')} offset 0) r`,
  )
  batchStatements.set(single, batched)
  return single
}

/**
 * Concurrent calls of one workspaceStatement that differ only in the workspace become one statement, and one statement runs at a time.
 * Statements of other kinds run unchanged.
 */
export function batchReads(sql: Sql): Sql {
  const batchers = new Map<string, Batcher<Value, BatchRow[]>>()
  let previous: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = previous.then(run)
    previous = result.catch(() => {})
    return result
  }
  const batcherOf = (batched: Statement<BatchRow>, others: readonly Value[]): Batcher<Value, BatchRow[]> => {
    const key = JSON.stringify([batched.name, others])
    const batcher =
      batchers.get(key) ??
      createBatcher(
        async (workspaceIds: Value[]) => {
          const rows = await inTurn(() => sql.rows(batched, [workspaceIds, ...others]))
          const found = Map.groupBy(rows, (row) => row.workspacePosition)
          return workspaceIds.map((_, index) => found.get(index + 1) ?? [])
        },
        { maxItems: MAX_WORKSPACES_PER_BATCH, concurrency: 1, mayRunOneByOne: () => false },
      )
    batchers.set(key, batcher)
    return batcher
  }
  const rows: Sql['rows'] = async <Row>(single: Statement<Row>, values: readonly Value[] = []) => {
    const batched = batchStatements.get(single)
    if (!batched) return sql.rows(single, values)
    const [workspaceId, ...others] = values
    const found = await batcherOf(batched, others)(workspaceId)
    return found.map(({ workspacePosition: _position, ...row }) => row as Row)
  }
  return { rows, row: async (single, values) => (await rows(single, values))[0] }
}
