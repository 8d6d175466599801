/**
 * `npm run bench`: measures the promises of speed and memory, and prints them with their goals.
 * `npm run bench -- accept queue` runs only these parts, `--short` takes a quarter of the time, and `--profile <folder>`
 * writes a CPU profile of each server. `npm run bench -- compare <commit>` compares the costs of a message with an earlier commit, and
 * `npm run bench -- endurance open-transaction` takes an hour.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { accept } from './accept.ts'
import { authHooks } from './auth-hooks.ts'
import { backup } from './backup.ts'
import { codAccept } from './cod-accept.ts'
import { codFlow } from './cod-flow.ts'
import { codTimers } from './cod-timers.ts'
import { compare } from './compare.ts'
import { costs } from './costs.ts'
import { endurance, openTransaction } from './endurance.ts'
import { fairness } from './fairness.ts'
import { type Figure, printTable } from './figures.ts'
import { intake } from './intake.ts'
import { lists } from './lists.ts'
import type { BenchPart } from './part.ts'
import { startBenchPostgres } from './postgres.ts'
import { retention } from './retention.ts'
import { startProvider } from './provider.ts'
import { pages } from './pages.ts'
import { verification } from './verification.ts'
import { upkeep } from './upkeep.ts'
import { endToEnd } from './whole-way.ts'
import { wire } from './wire.ts'
import { ensureInstalled } from '../tools/install.ts'

const parts: Readonly<Record<string, BenchPart>> = {
  accept,
  wire,
  'whole-way': endToEnd,
  costs,
  fairness,
  intake,
  async queue(options) {
    await ensureInstalled('bench')
    return (await import('./queue.ts')).queue(options)
  },
  verification,
  'auth-hooks': authHooks,
  'cod-accept': codAccept,
  'cod-flow': codFlow,
  'cod-timers': codTimers,
  lists,
  pages,
  backup,
  retention,
  upkeep,
  endurance,
  'open-transaction': openTransaction,
}

/** They take most of an hour. */
const ONLY_BY_NAME = new Set(['endurance', 'open-transaction'])

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false }, profile: { type: 'string' } },
  allowPositionals: true,
})
const [comparison, commit] = positionals[0] === 'compare' ? positionals : []
const unknown = comparison ? [] : positionals.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`)
  process.exit(1)
}
if (comparison && positionals.length !== 2) {
  console.error('Name one commit to compare with: npm run bench -- compare HEAD~1')
  process.exit(1)
}

const ended = Promise.withResolvers<never>()
process.once('SIGINT', () => ended.reject(new Error('ended by a signal')))
process.once('SIGTERM', () => ended.reject(new Error('ended by a signal')))
process.once('unhandledRejection', (error) => ended.reject(error))

await using opened = new AsyncDisposableStack()
if (commit !== undefined) {
  const provider = opened.adopt(await startProvider(), (each) => each.stop())
  const say = (line: string): void => console.error(line)
  await Promise.race([compare({ commit, provider, short: values.short, say }), ended.promise])
  await opened.disposeAsync()
  process.exit()
}
const postgres = await startBenchPostgres()
opened.defer(() => postgres.stop())
const provider = await startProvider()
opened.defer(() => provider.stop())

const figures: Figure[] = []
for (const [name, run] of Object.entries(parts)) {
  if (positionals.length > 0 ? !positionals.includes(name) : ONLY_BY_NAME.has(name)) continue
  const say = (line: string): void => console.error(`${name}: ${line}`)
  const { short, profile } = values
  figures.push(...(await Promise.race([run({ postgres, provider, short, profile, say }), ended.promise])))
}
console.log(
  `\n${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, PostgreSQL 18, everything on this machine\n`,
)
printTable(figures)
