import type { Figure } from './figures.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchProvider } from './provider.ts'

export type PartOptions = {
  postgres: BenchPostgres
  provider: BenchProvider
  /** A quarter of the time: to see that it works. */
  short: boolean
  /** A folder for CPU profiles of the servers. */
  profile: string | undefined
  /** Tells whoever watches how it goes. */
  say: (line: string) => void
}

/** One part of the bench, on a database of its own. */
export type Part = (options: PartOptions) => Promise<Figure[]>
