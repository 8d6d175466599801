/**
 * A server process that kills itself at a chosen statement, as `kill -9` would at that moment: no code of the program
 * runs after it. Started by test/journeys/crash.test.ts with its options as JSON, told of the failpoint by a message.
 */
import { movedClock } from '../src/clock.ts'
import type { Db } from '../src/db.ts'
import { type Around, aroundDb, aroundSql } from './around-db.ts'
import { startNode } from './node.ts'

/** `committed`: after the commit of the transaction that the statement was part of. */
export type Moment = 'before' | 'after' | 'committed'

/** The first run of the statement after the statement `stage`, where there is one, has run. */
export type Failpoint = { statement: string; moment: Moment; stage: string | null }

/** The clock is moved from the start: leases of a server that died before must be over. */
export type CrashServerOptions = { databaseUrl: string; port: number; movedByMs: number }

/** What it tells its parent. */
export type Told = { listening: string } | { armed: true } | { ran: string; inTransaction: boolean }

const tell = (told: Told): unknown => process.send?.(told)

const { databaseUrl, port, movedByMs } = JSON.parse(process.argv[2] ?? '') as CrashServerOptions
let failpoint: Failpoint | undefined
let reached = false

const clock = movedClock()
clock.advance(movedByMs)
const node = await startNode({ databaseUrl, port, clock, wrapDb: mortal, settings: { DOORCODE_ROLES: 'api,worker' } })
process.on('message', (armed: Failpoint) => {
  failpoint = armed
  reached = armed.stage === null
  tell({ armed: true })
})
process.on('disconnect', () => process.exit(0)) // a parent that is gone leaves no server behind
tell({ listening: node.url })

function mortal(db: Db): Db {
  return {
    ...aroundDb(
      db,
      around(false, () => {}),
    ),
    async transaction(work) {
      let ran = false
      const result = await db.transaction((tx) =>
        work(
          aroundSql(
            tx,
            around(true, () => (ran = true)),
          ),
        ),
      )
      return ran ? die() : result
    },
  }
}

/** `onRun` hears of the failpoint's statement, so that its transaction can end before the process does. */
function around(inTransaction: boolean, onRun: () => void): Around {
  return async ({ statement: { name, text }, run }) => {
    const here = reached && failpoint?.statement === name
    if (here && failpoint?.moment === 'before') return die()
    const rows = await run()
    reached ||= failpoint?.stage === name
    if (idle(text, rows)) return rows
    tell({ ran: name, inTransaction })
    if (here && failpoint?.moment === 'after') return die()
    if (here) onRun()
    return rows
  }
}

/** A look at a queue that found nothing. */
const idle = (text: string, rows: readonly unknown[]): boolean =>
  rows.length === 0 && !/\b(insert into|update|delete from)\b/.test(text.replaceAll(/for (no key )?update/g, ''))

/** Resolves never: the signal cannot be caught. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
