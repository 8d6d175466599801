import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { COST_NAMES, type CostName, type Costs, measureCosts } from './costs.ts'
import { median, printLines, times } from './figures.ts'
import type * as benchPostgres from './postgres.ts'
import type { BenchProvider } from './provider.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
/** A single pair says little: on a shared machine two runs of one commit differ by a tenth. */
const ROUNDS = 6
const SHORT_ROUNDS = 2

export type CompareOptions = {
  /** What this checkout is compared with: anything that `git rev-parse` understands. */
  commit: string
  provider: BenchProvider
  short: boolean
  say: (line: string) => void
}

/**
 * `npm run bench -- compare <commit>`: the costs of a message here and at that commit, measured in turn. Each checkout migrates a
 * PostgreSQL of its own and starts its own server; the load is the same for both.
 */
export async function compare({ commit, provider, short, say }: CompareOptions): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const before = await checkOut(commit)
  opened.defer(() => before.remove())
  const runs: { before: Costs[]; now: Costs[] } = { before: [], now: [] }
  const measure = async (side: keyof typeof runs): Promise<void> => {
    const folder = side === 'now' ? ROOT : before.folder
    const { startBenchPostgres } = (await import(path.join(folder, 'bench/postgres.ts'))) as typeof benchPostgres
    const postgres = await startBenchPostgres()
    try {
      runs[side].push(
        await measureCosts(folder, {
          postgres,
          provider,
          short,
          profile: undefined,
          say: (line) => say(`${side}: ${line}`),
        }),
      )
    } finally {
      await postgres.stop()
    }
  }
  for (let round = 1; round <= (short ? SHORT_ROUNDS : ROUNDS); round += 1) {
    say(`round ${round}`)
    // Each side is the first of every other round.
    const order = round % 2 === 1 ? (['before', 'now'] as const) : (['now', 'before'] as const)
    for (const side of order) await measure(side)
  }
  printComparison(before.hash, runs)
}

/** The commit in a folder of its own, with the packages of this checkout if its lock file is the same, or else its own. */
async function checkOut(commit: string): Promise<{ folder: string; hash: string; remove: () => Promise<void> }> {
  const hash = git('rev-parse', '--short', `${commit}^{commit}`)
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'doorcode-compare-')), hash)
  git('worktree', 'add', '--detach', '--quiet', folder, hash)
  const remove = async (): Promise<void> => {
    git('worktree', 'remove', '--force', folder)
    await rm(path.dirname(folder), { recursive: true, force: true })
  }
  try {
    const lockOf = (root: string): Promise<string> => readFile(path.join(root, 'package-lock.json'), 'utf8')
    if ((await lockOf(folder)) === (await lockOf(ROOT)))
      await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
    return { folder, hash, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const git = (...words: string[]): string => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()

function printComparison(hash: string, { before, now }: { before: readonly Costs[]; now: readonly Costs[] }): void {
  const lines = Object.entries(COST_NAMES).map(([name, { what, print }]) => {
    const of = (runs: readonly Costs[]): number[] => runs.map((run) => run[name as CostName])
    const spread = (values: readonly number[]): string =>
      `${print(median(values))} (${print(Math.min(...values))} to ${print(Math.max(...values))})`
    return [what, spread(of(before)), spread(of(now)), times(median(of(now)) / median(of(before)))]
  })
  printLines([['what: median (lowest to highest)', hash, 'now', 'now ÷ before'], ...lines])
}
