import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { fileDatabase } from '../../test/database.ts'
import { withConnection } from '../../test/postgres.ts'
import { until } from '../../test/until.ts'
import type { Role } from '../config.ts'
import { openDb } from '../db.ts'
import type { WorkName } from '../parts.ts'
import { createWake } from './wake.ts'

test('work of this process is woken without a word to the database', async (t) => {
  const { woken, node } = await startNodes(t)
  const worker = node(['worker'])
  worker.wake('submit')
  assert.deepEqual(woken, ['submit'])
})

test('a process that does not work wakes the workers of another one', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  node(['api']).wake('deliver')
  await until('the worker to be woken', () => woken.includes('deliver'))
})

test('a burst of a thousand wake-ups is a few notifications', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  const api = node(['api'])
  for (let count = 0; count < 1_000; count += 1) api.wake('submit')
  await api.stop()
  await until('the worker to be woken', () => woken.length > 0)
  assert.ok(woken.length <= 2, `${woken.length} notifications`)
})

test('what was told last before the end is still sent', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  const command = node([])
  command.wake('submit')
  await command.stop()
  await until('the worker to be woken', () => woken.includes('submit'))
})

test('a listener whose connection was cut hears again', async (t) => {
  const { woken, node, untilListening, ask } = await startNodes(t)
  node(['worker'])
  const [first] = await untilListening()
  await ask(`select pg_terminate_backend(${first})`)
  await until('another connection to listen', async () => (await untilListening())[0] !== first)
  node(['api']).wake('reports')
  await until('the worker to be woken', () => woken.includes('reports'))
})

async function startNodes(t: TestContext) {
  const url = await fileDatabase()
  const woken: WorkName[] = []
  const stops: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const stop of stops) await stop()
  })
  const ask = (text: string): Promise<{ pid: number }[]> =>
    withConnection(url, async (connection) => (await connection.query<{ pid: number }>(text)).rows)
  return {
    woken,
    ask,
    node: (roles: Role[]) => {
      const db = openDb({ url, poolSize: 1 })
      const wakes = createWake({ db, roles: new Set(roles), log: pino({ level: 'silent' }) })
      if (roles.includes('worker')) {
        for (const work of ['submit', 'reports', 'deliver', 'sync'] as const) wakes.attach(work, () => woken.push(work))
      }
      wakes.start()
      stops.push(async () => {
        await wakes.stop()
        await db.close()
      })
      return wakes
    },
    untilListening: (): Promise<number[]> =>
      until('a listener', async () => {
        const rows = await ask(
          `select pid from pg_stat_activity where datname = current_database() and query = 'listen doorcode_work'`,
        )
        return rows.length > 0 && rows.map(({ pid }) => pid)
      }),
  }
}
