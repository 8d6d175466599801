import { setTimeout as wait } from 'node:timers/promises'
import { isTemporary } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import type { Parts } from '../../runtime/parts.ts'
import { MONTH_DAYS } from '../../sandbox/month/plan.ts'
import { findSandboxWork, requestFill } from '../../sandbox/work.ts'

const CHECK_EVERY_MS = 100

/** Requests the demo month of a new workspace. One that has messages keeps them. */
export async function requestDemoMonth(parts: Parts, workspaceId: string): Promise<void> {
  await parts.db
    .transaction((tx) => requestFill(tx, parts, { workspaceId, days: MONTH_DAYS }))
    .catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error // it has a month, or another node makes it
    })
  parts.wake('sandbox')
}

/** Waits until no month is being made. Returns early if `signal` aborts. */
export async function waitForMonth({ db }: Parts, workspaceId: string, signal: AbortSignal): Promise<void> {
  const isBeingMade = async (): Promise<boolean> => {
    try {
      return (await findSandboxWork(db, workspaceId)) !== undefined
    } catch (error) {
      if (!isTemporary(error)) throw error
      return true // on a slow machine the database may not answer in time
    }
  }
  if (!(await isBeingMade())) return
  console.log('\nA month of customers in the demo shop is being simulated …')
  while (!signal.aborted && (await isBeingMade())) await wait(CHECK_EVERY_MS, undefined, { ref: false })
}
