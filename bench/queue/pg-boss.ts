import { PgBoss } from 'pg-boss'
import { type QueueEngine, type QueueEngineOptions, insertInBulk, openWork } from './engine.ts'

const QUEUE = 'bench'
const BATCH = 200
/** Concurrent fetches. */
const LANES = 4
const PUT_TOGETHER = 1_000
const ROWS = 20_000

type Data = { row: number }

/** Calls fetch and complete directly, without the waits between polls of pg-boss's workers. */
export async function pgBossEngine(options: QueueEngineOptions): Promise<QueueEngine> {
  const { databaseUrl } = options
  const boss = new PgBoss({ connectionString: databaseUrl, max: LANES, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  const work = await openWork(options, ROWS)
  return {
    name: 'pg-boss',
    async put(count) {
      for (let from = 0; from < count; from += PUT_TOGETHER) {
        const jobs = Array.from({ length: Math.min(PUT_TOGETHER, count - from) }, (_, index) => ({
          data: { row: ((from + index) % ROWS) + 1 },
        }))
        await boss.insert(QUEUE, jobs)
      }
    },
    async putFuture(count) {
      await boss.insert(QUEUE, [{ data: { row: 1 }, startAfter: new Date(Date.now() + 86_400_000) }])
      await insertInBulk(databaseUrl, [copiesOfFuture('pgboss.job', 'start_after')], [count])
    },
    async drain(count) {
      let done = 0
      const lane = async (): Promise<void> => {
        while (done < count) {
          const jobs = await boss.fetch<Data>(QUEUE, { batchSize: BATCH })
          await Promise.all(jobs.map(({ data }) => work.finish(data.row)))
          if (jobs.length > 0) {
            await boss.complete(
              QUEUE,
              jobs.map(({ id }) => id),
            )
          }
          done += jobs.length
        }
      }
      const began = performance.now()
      await Promise.all(Array.from({ length: LANES }, lane))
      return performance.now() - began
    },
    async close() {
      await boss.stop({ graceful: false })
      await work.close()
    },
  }
}

/** Copies the row that is due in the future, whatever columns this release has. */
const copiesOfFuture = (table: string, due: string): string =>
  `insert into ${table} select copy.*
   from (select * from ${table} j where ${due} > now() limit 1) j, generate_series(1, $1::int) n
   cross join lateral jsonb_populate_record(
     null::${table}, to_jsonb(j) || jsonb_build_object('id', gen_random_uuid(), 'copy', n)) copy`
