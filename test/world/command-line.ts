import assert from 'node:assert/strict'
import { runCommandLine } from '../../src/cli.ts'
import type { CommandContext } from '../../src/commands/command.ts'
import { INSTANCE_KEY } from './node.ts'
import { SIGNALS } from '../../src/lib/shutdown-signal.ts'
import type { World } from './world.ts'

/** The context of a command that a test runs on its own parts. */
export const QUIET_CONTEXT: CommandContext = {
  progress: () => {},
  signal: new AbortController().signal, // never aborts
  resources: new AsyncDisposableStack(), // nothing is opened for it
  sendData: undefined,
  program: 'doorcode',
}

/** Runs `doorcode <args>` in this process, with only this environment: for commands that end without a signal. */
export async function runCommand(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const listeners = SIGNALS.map((signal) => new Set(process.listeners(signal)))
  const output = { stdout: '', stderr: '' }
  const code = await runCommandLine(args, {
    environment,
    stdout: (text) => (output.stdout += `${text}\n`),
    stderr: (text) => (output.stderr += `${text}\n`),
  })
  // A server that cannot start leaves its listeners, which would keep this process from ending on the first signal.
  for (const [index, signal] of SIGNALS.entries())
    for (const each of process.listeners(signal)) if (!listeners[index]?.has(each)) process.off(signal, each)
  return { code, ...output }
}

export const environmentOf = ({ databaseUrl }: Pick<World, 'databaseUrl'>) => ({
  DATABASE_URL: databaseUrl,
  DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
})

/** Runs a command on the world's database. */
export const runCommandIn = (world: Pick<World, 'databaseUrl'>, args: readonly string[]) =>
  runCommand(args, environmentOf(world))

/** Runs a command that must succeed, and returns what it prints with --json. */
export async function jsonOfCommand(
  world: Pick<World, 'databaseUrl'>,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommandIn(world, [...args, '--json'])
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return JSON.parse(stdout) as Record<string, unknown>
}

/** Ctrl-C for the command that runs in this process. */
export const interruptCommand = (): void => process.listeners('SIGINT').at(-1)?.('SIGINT')
