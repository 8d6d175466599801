import type { Figure } from './figures.ts'
import type { BenchPostgres } from './postgres.ts'
import type { BenchProvider } from './provider.ts'

export type PartOptions = {
  postgres: BenchPostgres
  provider: BenchProvider
  /** A quarter of the time, to check that it works. */
  short: boolean
  /** A folder for CPU profiles of the servers. */
  profile: string | undefined
  /** Prints the progress. */
  say: (line: string) => void
}

/** A part of the bench, on its own database. */
export type BenchPart = (options: PartOptions) => Promise<Figure[]>
