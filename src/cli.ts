import { asBesideServer } from './beside-server.ts'
import { type Command, usageOf } from './commands/command.ts'
import { parse, UsageMistake } from './commands/parse.ts'
import { problemOf } from './commands/problem.ts'
import { commands } from './commands/table.ts'
import { type Config, readConfig } from './config.ts'
import { createLog } from './log.ts'
import { COMMAND_PATIENCE_MS, openParts } from './open-parts.ts'

export type Surroundings = {
  environment: Readonly<Record<string, string | undefined>>
  stdout: (text: string) => void
  stderr: (text: string) => void
}

/** Runs one command. Resolves with the exit code: 0, or 1 after telling on stderr what is wrong. */
export async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<0 | 1> {
  const { environment, stdout, stderr } = surroundings
  try {
    const asked = parse(args, commands)
    if ('help' in asked) stdout(help(asked.help))
    else await run(asked, surroundings)
    return 0
  } catch (error) {
    stderr(args.includes('--json') ? JSON.stringify(problemOf(error, originOf(environment))) : told(error))
    return 1
  }
}

type Asked = { command: Command; values: Record<string, unknown>; json: boolean }

async function run({ command, values, json }: Asked, { environment, stdout }: Surroundings): Promise<void> {
  const config = readConfig(environment)
  if (command.work.on === 'config') return command.work.run(config)
  const { parts, close } = await openParts(forCommand(config), createLog('silent'), { patienceMs: COMMAND_PATIENCE_MS })
  try {
    const { result, text } = await command.work.run(await asBesideServer(parts), values)
    stdout(json ? JSON.stringify(result) : text)
  } finally {
    await close()
  }
}

/** A command works on nothing in the background: what is due is left to the servers, which it wakes. */
const forCommand = (config: Config): Config => ({ ...config, roles: new Set() })

function originOf(environment: Surroundings['environment']): string {
  try {
    return readConfig(environment).publicUrl
  } catch {
    return 'http://127.0.0.1:3000'
  }
}

function told(error: unknown): string {
  if (!(error instanceof UsageMistake)) return problemOf(error, '').detail
  const usage = error.commands.map(
    (command, place) => `${place === 0 ? 'Usage:' : '      '} doorcode ${usageOf(command)} [--json]`,
  )
  return [...error.faults.map((fault) => `doorcode: ${fault}`), ...usage].join('\n')
}

function help(list: readonly Command[]): string {
  const lines = list.map((command) => `  ${usageOf(command)}\n      ${command.summary}`)
  return [
    'npm run -s doorcode -- <command> [--json]',
    '',
    ...lines,
    '',
    'With --json each prints one JSON object, or a problem to stderr. Settings: docs/configuration.md.',
  ].join('\n')
}
