import type { FastifyInstance } from 'fastify'
import { type Db, statement } from '../db.ts'

/** Probes are asked every few seconds: a database that takes longer is as good as none. */
const READY_WITHIN_MS = 2_000

const answers = statement<{ answers: boolean }>('database_answers', 'select true as answers')

type ProbeOptions = { isDraining?: () => boolean }

/**
 * `/healthz`: the process lives. `/readyz`: it may get requests (contract §10); nobody listens before the migrations are
 * done. Both without a key.
 */
export function serveProbes(app: FastifyInstance, db: Db, { isDraining = () => false }: ProbeOptions): void {
  app.get('/healthz', () => ({ status: 'alive' }))

  app.get('/readyz', async (_request, reply) => {
    const obstacle = await findObstacle()
    return reply.code(obstacle ? 503 : 200).send({ status: obstacle ?? 'ready' })
  })

  const findObstacle = async (): Promise<string | undefined> => {
    if (isDraining()) return 'draining'
    return (await databaseAnswers()) ? undefined : 'database unreachable'
  }

  const databaseAnswers = (): Promise<boolean> => {
    const { promise: tooLate, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(resolve, READY_WITHIN_MS, false)
    const asked = db.row(answers).then(
      () => true,
      () => false,
    )
    return Promise.race([asked, tooLate]).finally(() => clearTimeout(timer))
  }
}
