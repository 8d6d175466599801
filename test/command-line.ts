import { runCommandLine } from '../src/cli.ts'

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
