import { type Sql, statement } from './pool.ts'

/** Limits the waits for locks in the rest of the transaction. */
export const limitLockWait = async (tx: Sql, ms: number): Promise<void> =>
  void (await tx.rows(setLockTimeout, [`${ms}ms`]))

const setLockTimeout = statement('limit_lock_wait', `select set_config('lock_timeout', $1, true)`)
