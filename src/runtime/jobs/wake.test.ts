import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { startFlakyProxy } from '../../../test/faults/flaky-proxy.ts'
import { fileDatabase } from '../../../test/database/database.ts'
import { withConnection } from '../../../test/database/postgres.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import type { Role } from '../../lib/config.ts'
import { openDb } from '../../lib/db/pool.ts'
import { type WorkName, createWakeUps } from './wake.ts'

test('loops of the same process are woken without the database', async (t) => {
  const { woken, node } = await startNodes(t)
  const worker = node(['worker'])
  worker.wake('submit')
  assert.deepEqual(woken, ['submit'])
})

test('a process without a worker wakes workers of other processes', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  node(['api']).wake('deliver')
  await waitFor('the worker to be woken', () => woken.includes('deliver'))
})

test('a thousand wake-ups need few notifications', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  const api = node(['api'])
  for (let count = 0; count < 1_000; count += 1) api.wake('submit')
  await api.stop()
  await waitFor('the worker to be woken', () => woken.length > 0)
  assert.ok(woken.length <= 2, `${woken.length} notifications`)
})

test('wake-ups right before the stop are still sent', async (t) => {
  const { woken, node, untilListening } = await startNodes(t)
  node(['worker'])
  await untilListening()
  const command = node([])
  command.wake('submit')
  await command.stop()
  await waitFor('the worker to be woken', () => woken.includes('submit'))
})

test('a listener reconnects after its connection was cut, and reports the database’s time again', async (t) => {
  const { woken, times, node, untilListening, ask } = await startNodes(t)
  node(['worker'])
  const [first] = await untilListening()
  await ask(`select pg_terminate_backend(${first})`)
  await waitFor('another connection to listen', async () => (await untilListening())[0] !== first)
  node(['api']).wake('reports')
  await waitFor('the worker to be woken', () => woken.includes('reports'))
  const reported = times()
  await waitFor('the time', () => times() > reported)
})

test('a listener reconnects after its connection went silent', async (t) => {
  const proxy = await startFlakyProxy(await fileDatabase())
  t.after(() => proxy.close())
  const { woken, node, untilListening } = await startNodes(t, { url: proxy.url })
  node(['worker'])
  await untilListening()
  proxy.stall()
  proxy.restore()
  const waker = node(['api'])
  await waitFor('the worker to be woken', () => {
    waker.wake('reports') // a wake-up that is sent before the listener is back is lost
    return woken.includes('reports')
  })
})

async function startNodes(t: TestContext, { url: by }: { url?: string } = {}) {
  const url = await fileDatabase()
  const woken: WorkName[] = []
  let times = 0
  const stops: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const stop of stops) await stop()
  })
  const ask = (text: string): Promise<{ pid: number }[]> =>
    withConnection(url, async (connection) => (await connection.query<{ pid: number }>(text)).rows)
  return {
    woken,
    times: () => times,
    ask,
    node: (roles: Role[]) => {
      const db = openDb({ url: by ?? url, poolSize: 1 })
      const wakes = createWakeUps({
        db,
        roles: new Set(roles),
        log: pino({ level: 'silent' }),
        onTime: () => (times += 1),
      })
      if (roles.includes('worker')) {
        for (const work of ['submit', 'reports', 'deliver', 'sync'] as const) wakes.attach(work, () => woken.push(work))
      }
      void wakes.start()
      stops.push(async () => {
        await wakes.stop()
        await db.close()
      })
      return wakes
    },
    untilListening: (): Promise<number[]> =>
      waitFor('a listener', async () => {
        const rows = await ask(
          `select l.pid from pg_locks l join nodes n
             on (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(n.id::text, 7305222)
           where l.locktype = 'advisory' and 'worker' = any (n.roles)`,
        )
        return rows.length > 0 && rows.map(({ pid }) => pid)
      }),
  }
}
