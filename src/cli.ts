import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { createProblemWriter } from './lib/http/problem.ts'
import { doesAnyNodeAllowPrivateWebhooks } from './runtime/jobs/node.ts'
import type { Parts } from './runtime/parts.ts'
import { StartupError } from './lib/errors.ts'
import type { Command, CommandContext, Output, SendData } from './commands/command.ts'
import { type ParsedCommand, parse, UsageError } from './commands/line/parse.ts'
import { toProblem } from './commands/line/problem.ts'
import { groups } from './commands/table.ts'
import { type Config, ConfigError, nameOfProgram, readConfig } from './lib/config.ts'
import { createLog } from './lib/log.ts'
import { LONG_STATEMENT_TIMEOUT_MS } from './lib/db/pool.ts'
import { hasEmbeddedDatabase } from './runtime/start/embedded-postgres/folders.ts'
import { assertHasTables } from './runtime/start/database.ts'
import { COMMAND_RETRY_BUDGET_MS, openParts } from './runtime/start/open.ts'
import { runUntilSignal } from './commands/line/until-signal.ts'
import { withTypedCommands } from '../locales/text.ts'
import { visibleLines, visibleText } from '../locales/visible-text.ts'

export type CommandLineIo = {
  environment: Readonly<Record<string, string | undefined>>
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** See CommandContext. */
  sendData?: SendData | undefined
}

/** Runs one command. Resolves with the exit code: 0, or 1 after an error was printed to stderr or a check has failed. */
export async function runCommandLine(args: readonly string[], given: CommandLineIo): Promise<0 | 1> {
  const isJson = args.includes('--json')
  const name = nameOfProgram(given.environment)
  const typed = (text: string): string => (isJson ? text : withTypedCommands(text, name))
  const io: CommandLineIo = {
    ...given,
    stdout: (text) => given.stdout(typed(text)),
    stderr: (text) => given.stderr(typed(text)),
  }
  try {
    const parsed = await parse(args, groups, {
      name,
      environment: io.environment,
    })
    if (!('help' in parsed)) return await run(parsed, io)
    io.stdout(parsed.help)
    return 0
  } catch (error) {
    io.stderr(isJson ? formatProblem(error, io.environment) : formatError(error))
    return 1
  }
}

async function run({ command, values, json }: ParsedCommand, io: CommandLineIo): Promise<0 | 1> {
  const { environment, stdout, stderr, sendData } = io
  const program = nameOfProgram(environment)
  const print = ({ result, text, failed = false, resultToStderr = false }: Output): 0 | 1 => {
    const write = resultToStderr ? stderr : stdout
    write(json ? JSON.stringify(result) : text)
    return failed ? 1 : 0
  }
  const { work } = command
  if (work.on === 'nothing') return print(await work.run())
  if (work.on === 'environment') return print(await work.run(environment, values))
  if (work.on === 'config') {
    await work.run(readConfig(environment), { values, json, print: stdout, program })
    return 0
  }
  return runUntilSignal(command, {
    work(signal, resources) {
      const context = { progress: stderr, signal, resources, sendData, program }
      return work.on === 'empty-database'
        ? work.run(readConfig(environment, { needsKey: false }), values, context)
        : runOnParts(work, { config: readConfig(environment), values, context })
    },
    print,
    printError: (error) => stderr(json ? formatProblem(error, environment) : formatError(error)),
  })
}

type OnParts = Extract<Command['work'], { on: 'parts' }>

async function runOnParts(
  work: OnParts,
  { config, values, context }: { config: Config; values: ParsedCommand['values']; context: CommandContext },
): Promise<Output> {
  if (!work.mayCreateDatabase && config.databaseUrl === undefined && !(await hasEmbeddedDatabase(config.dataDir)))
    throw new StartupError(
      `There is no database in ${path.resolve(config.dataDir)}. Set DOORCODE_DATA_DIR to the data folder of the installation, or DATABASE_URL.`,
    )
  const { signal, resources } = context
  // Without roles a command does no background work: it only wakes the servers that do.
  const { parts, close } = await openParts({ ...config, roles: new Set() }, createLog('silent'), {
    timeoutMs: COMMAND_RETRY_BUDGET_MS,
    statementTimeoutMs: LONG_STATEMENT_TIMEOUT_MS,
    check: work.mayCreateDatabase ? undefined : assertHasTables,
    signal,
  })
  let closed: Promise<void> | undefined
  const closeOnce = (): Promise<void> => (closed ??= close())
  resources.defer(closeOnce)
  signal.addEventListener('abort', () => void closeOnce().catch(() => {}))
  signal.throwIfAborted()
  return await work.run(await withNodeSettings(parts), values, context)
}

/**
 * A command allows what a running server on its database allows: `npm start` allows private webhooks whatever the setting
 * is, and a command must not reject its endpoints.
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
  const faults = error.faults.map((fault) => `doorcode: ${visibleLines(fault)}`)
  return [...faults, ...(error.help === '' ? [] : ['', error.help])].join('\n')
}
