import type { Config } from '../config.ts'
import type { Command } from './command.ts'

/** Loaded when they run: the other commands need neither the web server nor the twin. */
export const serve: Command = {
  words: 'serve',
  summary: 'Run API, workers and dashboard until a signal ends them; embedded PostgreSQL unless DATABASE_URL is set.',
  argument: undefined,
  options: {},
  changes: false,
  work: { on: 'config', run: async (config: Config) => (await import('../main.ts')).serve(config) },
}

export const start: Command = {
  words: 'start',
  summary: 'Run everything to try it out: what serve runs, with a WhatsApp twin and a demo workspace.',
  argument: undefined,
  options: {},
  changes: false,
  work: { on: 'config', run: async (config: Config) => (await import('../demo.ts')).startDemo(config) },
}
