import { runCommandLine } from '../../src/cli.ts'
import type { CommandContext } from '../../src/commands/command.ts'

/** The context of a command that a test runs on its own parts. */
export const QUIET_CONTEXT: CommandContext = {
  progress: () => {},
  signal: new AbortController().signal, // never aborts
  resources: new AsyncDisposableStack(), // nothing is opened for it
  sendData: undefined,
  program: 'doorcode',
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

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

/** Ctrl-C for the command that runs in this process. */
export const interruptCommand = (): void => process.listeners('SIGINT').at(-1)?.('SIGINT')
