import { Logger, run, runMigrations } from 'graphile-worker'
import { Client } from 'pg'
import { type QueueEngine, type QueueEngineOptions, insertInBulk, openWork } from './engine.ts'

const TASK = 'bench'
/** The settings that its documentation gives for many quick jobs. */
const CONCURRENT_JOBS = 100
const LOCAL_QUEUE = 500
const ROWS = 20_000

export async function graphileWorkerEngine(options: QueueEngineOptions): Promise<QueueEngine> {
  const { databaseUrl } = options
  const settings = {
    connectionString: databaseUrl,
    noHandleSignals: true,
    maxPoolSize: 10,
    logger: new Logger(() => () => {}),
    preset: {
      worker: {
        concurrentJobs: CONCURRENT_JOBS,
        localQueue: { size: LOCAL_QUEUE },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  }
  await runMigrations(settings)
  const work = await openWork(options, ROWS)
  const client = new Client(databaseUrl)
  await client.connect()
  /** Uses the function for many jobs: the one for a single job takes quadratic time in one statement. */
  const add = (count: number, dueIn: string) =>
    client.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select row('${TASK}', json_build_object('row', (n % ${ROWS}) + 1), null, now() + $2::interval, null, null, null, null)::graphile_worker.job_spec
         from generate_series(0, $1::int - 1) n))`,
      [count, dueIn],
    )
  return {
    name: 'graphile-worker',
    async put(count) {
      await add(count, '0')
    },
    async putFuture(count) {
      await add(1, '1 day')
      await insertInBulk(databaseUrl, [COPIES_OF_FUTURE], [count])
    },
    async drain(count) {
      const all = Promise.withResolvers<void>()
      let began = Number.NaN
      let done = 0
      const runner = await run({
        ...settings,
        taskList: {
          async [TASK](payload) {
            if (Number.isNaN(began)) began = performance.now() // its start is not what is measured
            await work.finish((payload as { row: number }).row)
            done += 1
            if (done === count) all.resolve()
          },
        },
      })
      await all.promise
      await runner.stop() // once all are completed
      return performance.now() - began
    },
    async close() {
      await client.end()
      await work.close()
    },
  }
}

const COPIES_OF_FUTURE = `insert into graphile_worker._private_jobs (task_id, payload, priority, max_attempts, run_at)
  select j.task_id, j.payload, j.priority, j.max_attempts, j.run_at
  from (select * from graphile_worker._private_jobs where run_at > now() limit 1) j, generate_series(1, $1::int)`
