import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import type { Config } from '../src/config.ts'
import { batch, openDb, statement } from '../src/db.ts'
import { grouped } from '../src/group.ts'

const makeTable = statement(
  'bench_make_floor',
  'create table if not exists bench_floor (id uuid primary key, body text not null)',
)

const insertRows = statement(
  'bench_insert_floor_rows',
  'insert into bench_floor (id, body) select id, body from jsonb_to_recordset($1) as r (id uuid, body text)',
)

const GROUP_MOST = 256
const GROUP_LANES = 2

/** What a durable answer costs at the least: a Fastify route that does nothing but a group-committed insert of one row. */
export async function serveFloor(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const db = openDb({ url: config.databaseUrl ?? '', poolSize: config.databasePool })
  await db.rows(makeTable)
  const insert = grouped(
    async (rows: { id: string; body: string }[]) => {
      await db.rows(insertRows, [batch(rows)])
      return rows.map(() => undefined)
    },
    { most: GROUP_MOST, lanes: GROUP_LANES, mayRunAlone: () => false },
  )
  const app = Fastify()
  app.post('/api/v1/otp/messages', async (request, reply) => {
    const id = randomUUID()
    await insert({ id, body: JSON.stringify(request.body) })
    return reply.code(202).send({ messageId: id, status: 'queued', reference: null })
  })
  const url = await app.listen({ port: config.port, host: config.host })
  return { url, stop: () => app.close().then(() => db.close()) }
}
