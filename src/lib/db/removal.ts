import { type Statement, statement } from './pool.ts'

/** Removes rows in small batches: $1 an instant, $2 how many at most. */
export type Removal = Statement<{ removed: number }>

export const removal = (name: string, table: string, condition: string): Removal =>
  statement(
    name,
    `with removed as (
       delete from ${table} where ctid = any (array (select ctid from ${table} where ${condition} limit $2)) returning 1)
     select count(*)::int as removed from removed`,
  )
