import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { createProblemWriter } from './http/problem.ts'
import { doesAnyNodeAllowPrivateWebhooks } from './jobs/node.ts'
import type { Parts } from './parts.ts'
import { StartupError } from './startup-error.ts'
import type { Output } from './commands/command.ts'
import { type ParsedCommand, parse, UsageError } from './commands/parse.ts'
import { toProblem } from './commands/problem.ts'
import { groups } from './commands/table.ts'
import { ConfigError, readConfig } from './config.ts'
import { createLog } from './log.ts'
import { LONG_STATEMENT_TIMEOUT_MS } from './db/pool.ts'
import { hasEmbeddedDatabase } from './start/embedded-postgres/folders.ts'
import { COMMAND_RETRY_BUDGET_MS, openParts } from './start/open.ts'
import { visibleLines, visibleText } from '../locales/visible-text.ts'

export type CommandLineIo = {
  environment: Readonly<Record<string, string | undefined>>
  stdout: (text: string) => void
  stderr: (text: string) => void
}

/** Runs one command. Resolves with the exit code: 0, or 1 after an error was printed to stderr or a check has failed. */
export async function runCommandLine(args: readonly string[], io: CommandLineIo): Promise<0 | 1> {
  try {
    const parsed = await parse(args, groups, nameOfProgram(io.environment))
    if (!('help' in parsed)) return await run(parsed, io)
    io.stdout(parsed.help)
    return 0
  } catch (error) {
    const isJson = args.includes('--json')
    io.stderr(isJson ? formatProblem(error, io.environment) : formatError(error))
    return 1
  }
}

/** As the user called it, so that the usage and the example can be copied. */
const nameOfProgram = (environment: CommandLineIo['environment']): string =>
  environment['npm_lifecycle_event'] === 'doorcode' ? 'npm run -s doorcode --' : 'doorcode'

async function run({ command, values, json }: ParsedCommand, io: CommandLineIo): Promise<0 | 1> {
  const { environment, stdout, stderr } = io
  const print = ({ result, text, failed = false }: Output): 0 | 1 => {
    stdout(json ? JSON.stringify(result) : text)
    return failed ? 1 : 0
  }
  if (command.work.on === 'nothing') return print(await command.work.run())
  if (command.work.on === 'empty-database')
    return print(await command.work.run(readConfig(environment, { needsKey: false }), values))
  if (command.work.on === 'environment') return print(await command.work.run(environment))
  const config = readConfig(environment)
  if (command.work.on === 'config') {
    await command.work.run(config, { values, json, print: stdout, program: nameOfProgram(environment) })
    return 0
  }
  if (command.work.needsDatabase && config.databaseUrl === undefined && !(await hasEmbeddedDatabase(config.dataDir)))
    throw new StartupError(
      `There is no database in ${path.resolve(config.dataDir)}. Set DOORCODE_DATA_DIR to the data folder of the installation, or DATABASE_URL.`,
    )
  // Without roles a command does no background work: it only wakes the servers that do.
  const { parts, close } = await openParts({ ...config, roles: new Set() }, createLog('silent'), {
    timeoutMs: COMMAND_RETRY_BUDGET_MS,
    statementTimeoutMs: LONG_STATEMENT_TIMEOUT_MS,
  })
  try {
    return print(await command.work.run(await withNodeSettings(parts), values, stderr))
  } finally {
    await close()
  }
}

/**
 * A command allows what a running server on its database allows: `npm start` allows private webhooks whatever the setting
 * is, and a command must not refuse its endpoints.
 */
async function withNodeSettings(parts: Parts): Promise<Parts> {
  const { config, db } = parts
  if (config.allowPrivateWebhooks || !(await doesAnyNodeAllowPrivateWebhooks(db))) return parts
  return { ...parts, config: { ...config, allowPrivateWebhooks: true } }
}

function formatProblem(error: unknown, environment: CommandLineIo['environment']): string {
  const { code, detail } = toProblem(error)
  return createProblemWriter(originOf(environment))(code, detail, randomUUID()).body
}

function originOf(environment: CommandLineIo['environment']): string {
  try {
    return readConfig(environment).publicUrl
  } catch {
    return 'http://127.0.0.1:3000'
  }
}

function formatError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartupError) return visibleLines(error.message)
  if (!(error instanceof UsageError)) return visibleText(toProblem(error).detail)
  return [...error.faults.map((fault) => `doorcode: ${visibleLines(fault)}`), '', error.help].join('\n')
}
