import type { Db } from '../../src/lib/db/pool.ts'
import { spyOnDb } from '../database/db-spy.ts'

/** PostgreSQL's SQLSTATE for a terminated connection. */
const CONNECTION_ENDED = '57P01'

export type StallingProxy = {
  wrap: (db: Db) => Db
  /** Runs the work, which stops after this statement and keeps its locks. Resolves there, or when the work ends. */
  stall(statement: string, work: () => Promise<unknown>): Promise<void>
  /** Lets the work finish. */
  release(): Promise<void>
  /** Fails the work like a lost connection: it is rolled back. */
  cut(): Promise<void>
}

/** A node whose work can be stopped in the middle of a transaction. */
export function createStallingProxy(): StallingProxy {
  let stallAt: string | null = null
  let reached = Promise.withResolvers<void>()
  let outcome = Promise.withResolvers<void>()
  let working: Promise<unknown> = Promise.resolve()
  const end = async (): Promise<void> => {
    await working
    stallAt = null
  }
  return {
    wrap: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        const rows = await run()
        if (statement.name !== stallAt) return rows
        stallAt = null
        reached.resolve()
        await outcome.promise
        return rows
      }),
    async stall(statement, work) {
      stallAt = statement
      reached = Promise.withResolvers()
      outcome = Promise.withResolvers()
      outcome.promise.catch(() => {}) // the work may never have reached the statement
      working = work().catch((error: unknown) => {
        if ((error as { code?: unknown }).code !== CONNECTION_ENDED) throw error
      })
      await Promise.race([reached.promise, working])
    },
    async release() {
      outcome.resolve()
      await end()
    },
    async cut() {
      outcome.reject(Object.assign(new Error('the connection was lost'), { code: CONNECTION_ENDED }))
      await end()
    },
  }
}
