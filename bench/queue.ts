import { Client } from 'pg'
import { statements } from '../src/lib/db/pool.ts'
import { type Figure, atLeast, count, median, perSecond, times } from './figures.ts'
import type { BenchPart } from './part.ts'
import { deliveriesEngine } from './queue/deliveries.ts'
import { type QueueEngine, type QueueEngineOptions, refreshStatistics } from './queue/engine.ts'
import { graphileWorkerEngine } from './queue/graphile-worker.ts'
import { messagesEngine } from './queue/messages.ts'
import { pgBossEngine } from './queue/pg-boss.ts'

const PART = 'queue'
const BURST = 20_000
const WARM_UP = 2_000
const ROUNDS = 3
const FUTURE = 1_000_000
/** Below this share of its usual rate, a burst after an idle time shows a bad plan and not just noise of the machine. */
const STEADY_SHARE = 0.5

const ENGINES = {
  messages: messagesEngine,
  deliveries: deliveriesEngine,
  boss: pgBossEngine,
  graphile: graphileWorkerEngine,
}

type Rates = { usual: number; afterIdle: number; withFuture: number }

/**
 * Claim and finish of jobs without work of their own: one row of state is updated, and one attempt inserted. Our rows are their own
 * jobs; the libraries' jobs do both in a transaction each.
 */
export const queue: BenchPart = async ({ postgres, provider, short, say }) => {
  const figures: Figure[] = []
  const usual: Partial<Record<string, number>> = {}
  const future = short ? FUTURE / 10 : FUTURE
  for (const [name, open] of Object.entries(ENGINES)) {
    const database = await postgres.database(`bench_queue_${name}`)
    try {
      const options = { databaseUrl: database.url, graphUrl: provider.url }
      const engine = await open(options)
      try {
        const rates = await measure(engine, { ...options, rounds: short ? 1 : ROUNDS, future, say })
        figures.push(...figuresOf(engine.name, rates, future))
        usual[name] = rates.usual
      } finally {
        await engine.close()
      }
    } finally {
      await database.drop()
    }
  }
  const { messages = 0, boss = 0, graphile = 0 } = usual
  const ratio = messages / Math.max(boss, graphile)
  return [
    ...figures,
    {
      part: PART,
      what: 'Doorcode messages ÷ the better library',
      figure: times(ratio),
      goal: atLeast(ratio, 1, ' ×'),
    },
  ]
}

type MeasureOptions = QueueEngineOptions & { rounds: number; future: number; say: (line: string) => void }

async function measure(engine: QueueEngine, { databaseUrl, rounds, future, say }: MeasureOptions): Promise<Rates> {
  const burst = async (): Promise<number> => {
    await engine.put(BURST)
    return (BURST * 1000) / (await engine.drain(BURST))
  }
  const usually = async (): Promise<number> => {
    const rates = []
    for (let round = 0; round < rounds; round += 1) {
      await refreshStatistics(databaseUrl)
      await engine.put(BURST)
      await refreshStatistics(databaseUrl) // knows that the queue is full
      rates.push((BURST * 1000) / (await engine.drain(BURST)))
    }
    return median(rates)
  }
  await engine.put(WARM_UP)
  await engine.drain(WARM_UP)
  const usual = await usually()
  await refreshStatistics(databaseUrl) // knows that the queue is empty
  const afterIdle = await burst()
  if (afterIdle < usual * STEADY_SHARE) say(`${engine.name} after an idle spell:\n${await plansOfClaims(databaseUrl)}`)
  await engine.putFuture(future)
  const withFuture = await usually()
  say(
    `${engine.name}: ${perSecond(usual)}, after an idle spell ${perSecond(afterIdle)}, with ${count(future)} in the future ${perSecond(withFuture)}`,
  )
  return { usual, afterIdle, withFuture }
}

function figuresOf(name: string, { usual, afterIdle, withFuture }: Rates, future: number): Figure[] {
  const ours = name.startsWith('Doorcode')
  const share = afterIdle / usual
  return [
    { part: PART, what: `${name}: claim and finish`, figure: perSecond(usual) },
    {
      part: PART,
      what: `${name}: the burst after an idle spell with fresh statistics`,
      figure: `${perSecond(afterIdle)}, ${times(share)}`,
      ...(ours && { goal: atLeast(share, STEADY_SHARE, ' ×') }),
    },
    {
      part: PART,
      what: `${name}: with ${count(future)} rows in the future`,
      figure: `${perSecond(withFuture)}, ${times(withFuture / usual)}`,
    },
  ]
}

const CLAIMS = ['lock_senders_with_work', 'lock_due_messages', 'find_due_endpoints', 'claim_deliveries']

/** The plans that the program's connections make. */
async function plansOfClaims(databaseUrl: string): Promise<string> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    const plans = []
    for (const name of CLAIMS) {
      const answer = await client.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan) ${statements.get(name)?.text}`,
      )
      plans.push(`${name}\n${answer.rows.map((row) => row['QUERY PLAN']).join('\n')}`)
    }
    return plans.join('\n\n')
  } finally {
    await client.end()
  }
}
