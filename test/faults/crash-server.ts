/**
 * A server process that kills itself at a chosen statement, as `kill -9` would at that moment: no code of the program
 * runs after it. Started by test/exhaustive/crash.test.ts with its options as JSON; a message sets the failpoint.
 */
import { createMovedClock } from './moved-clock.ts'
import { type Db, isWrite } from '../../src/lib/db/pool.ts'
import { type DbSpy, spyOnDb, spyOnSql } from '../database/db-spy.ts'
import { startNode } from '../world/node.ts'

/** `committed`: after the commit of the transaction that the statement was part of. */
export type Moment = 'before' | 'after' | 'committed'

/** The first run of the statement after the statement `stage`, where there is one, has run. */
export type Failpoint = { statement: string; moment: Moment; stage: string | null }

/** The clock starts later, so that leases of a server that died are over. */
export type CrashServerOptions = { databaseUrl: string; port: number; movedByMs: number; claimsOnWrite?: boolean }

/** Messages to the parent. */
export type Progress = { listening: string } | { armed: true } | StatementRun

/** An executed statement; `transaction` numbers its transaction. */
export type StatementRun = { ran: string; transaction: number | null; writes: boolean }

const report = (progress: Progress): unknown => process.send?.(progress)

const { databaseUrl, port, movedByMs, claimsOnWrite = true } = JSON.parse(process.argv[2] ?? '') as CrashServerOptions
let failpoint: Failpoint | undefined
let reached = false
let transactions = 0

const clock = createMovedClock()
clock.advance(movedByMs)
const node = await startNode({
  databaseUrl,
  port,
  clock,
  wrapDb: mortal,
  claimsOnWrite,
  settings: { DOORCODE_ROLES: 'api,worker' },
})
process.on('message', (armed: Failpoint) => {
  failpoint = armed
  reached = armed.stage === null
  report({ armed: true })
})
process.on('disconnect', () => process.exit(0)) // a parent that is gone leaves no server behind
report({ listening: node.url })

function mortal(db: Db): Db {
  return {
    ...spyOnDb(
      db,
      around(null, () => {}),
    ),
    async transaction(work) {
      let ran = false
      const noteRun = (): unknown => (ran = true)
      const transaction = ++transactions
      const result = await db.transaction((tx) => work(spyOnSql(tx, around(transaction, noteRun))))
      return ran ? die() : result
    },
  }
}

/** Calls `onRun` at the failpoint's statement, so that its transaction can commit before the process dies. */
function around(transaction: number | null, onRun: () => unknown): DbSpy {
  return async ({ statement: { name, text }, run }) => {
    const here = reached && failpoint?.statement === name
    if (here && failpoint?.moment === 'before') return die()
    // the commit may follow the statement without waiting for its response
    if (here && failpoint?.moment === 'committed' && isWrite(text)) onRun()
    const rows = await run()
    reached ||= failpoint?.stage === name
    if (idle(text, rows)) return rows
    report({ ran: name, transaction, writes: isWrite(text) })
    if (here && failpoint?.moment === 'after') return die()
    if (here) onRun()
    return rows
  }
}

/** A poll that found nothing. */
const idle = (text: string, rows: readonly unknown[]): boolean => rows.length === 0 && !isWrite(text)

/** Never resolves: the signal cannot be caught. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
