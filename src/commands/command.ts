import type { z } from 'zod'
import { type Action, type ActionInput, type Operator, perform } from '../admin/actions/action.ts'
import { COMMAND_LINE } from '../admin/audit/audit.ts'
import type { Config } from '../lib/config.ts'
import { asWritten } from '../../locales/text.ts'
import { visibleJson, withVisibleTexts } from '../../locales/visible-text.ts'
import type { Parts } from '../runtime/parts.ts'
import { UserError } from '../lib/errors.ts'
import { getWorkspace } from '../workspaces/workspaces.ts'

export type Command = {
  words: string
  /** What follows the words in the example of --help. */
  example: string
  summary: string
  options: Readonly<Record<string, Input>>
  /** What the user must know after Ctrl-C has ended the work. Default: INTERRUPTED in until-signal.ts. */
  interruptedMessage?: string
  work: Work
}

/** Commands with one first word are in one group. */
export type CommandGroup = { title: string; commands: readonly Command[] }

type Work =
  /** The parts are opened before it runs and closed after it. It prints `result` with --json, else `text`. */
  | {
      on: 'parts'
      mayCreateDatabase: boolean
      run(parts: Parts, values: Values, context: CommandContext): Promise<Output>
    }
  | { on: 'nothing'; run(): Promise<Output> }
  /** Works on an empty database, which may have no key yet. */
  | { on: 'empty-database'; run(config: Config, values: Values, context: CommandContext): Promise<Output> }
  /** Works even if settings are invalid. */
  | { on: 'environment'; run(environment: Environment, values: Values): Promise<Output> }
  /** Runs until a signal, and prints its own output. */
  | { on: 'config'; run(config: Config, call: Call): Promise<void> }

export type Output = {
  result: object
  text: string
  /** The exit code is 1, although the result is printed. */
  failed?: boolean
  /** The command has written data to standard output, so the result is printed to stderr. */
  resultToStderr?: boolean
}

export type CommandContext = {
  /** One line about a long run, on stderr. */
  progress: (line: string) => void
  /**
   * Aborts on Ctrl-C. The parts are then closed, so the next statement fails: only long work without statements needs the
   * signal.
   */
  signal: AbortSignal
  /** Closed after the result is printed, so that it does not wait for closing. */
  resources: AsyncDisposableStack
  /** Writes to standard output. Undefined if that is a terminal. */
  sendData: SendData | undefined
  /** How the user calls the program, for commands to copy. */
  program: string
}

export type SendData = (bytes: Buffer) => Promise<void>

export type Call = {
  values: Values
  json: boolean
  print: (line: string) => void
  /** How the user calls the program, for commands to copy. */
  program: string
}

export type Environment = Readonly<Record<string, string | undefined>>

type Values = Readonly<Record<string, unknown>>

/** An option or argument. `read` turns its text into a value, or throws InputError. */
export type Input<Value = unknown> = {
  /**
   * An argument follows the words and has no name; at most one, before the other inputs. A secret is required, and has a second
   * option, which names a file.
   */
  kind: 'argument' | 'required' | 'optional' | 'flag' | 'secret'
  /** Where a secret is read from if neither of its options is given. */
  variable?: string
  /** Names the value in the usage, such as "id" in `--workspace <id>`. */
  placeholder: string
  /** One line of --help, with the default if there is one. */
  description: string
  read(text: string): Value | Promise<Value>
}

/** The message continues the name of the option: "must be …". */
export class InputError extends Error {}

type Definition<Options extends Record<string, Input>, Result extends object> = {
  words: string
  example: string
  summary: string
  options?: Options
  /** Only for commands that begin an installation: others would create a database after a mistyped address. */
  mayCreateDatabase?: boolean
  interruptedMessage?: string
  /** Must record every change that it makes. The workspace of an option `workspace` exists. */
  run: (operator: Operator, values: ReadValues<Options>, context: CommandContext) => Promise<Result>
  /** The command worked, but what it found makes the exit code 1. */
  failed?: (result: Result) => boolean
  /** See Output. */
  resultToStderr?: (result: Result) => boolean
  /** Its texts are visible and on one line each. Undefined: the result is printed as JSON, exactly. */
  format: (result: Result, parts: Pick<Parts, 'config'>) => string | undefined
}

export type ReadValues<Options extends Record<string, Input>> = {
  [Name in keyof Options]: Options[Name] extends Input<infer Value> ? Value : never
}

/** A command that runs on the parts. Options are in camelCase here and in kebab-case on the command line. */
export function command<
  Result extends object,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no options at all
  Options extends Record<string, Input> = {},
>({
  mayCreateDatabase = false,
  run,
  failed = () => false,
  resultToStderr = () => false,
  format,
  options,
  ...definition
}: Definition<Options, Result>): Command {
  return {
    ...definition,
    options: options ?? {},
    work: {
      on: 'parts',
      mayCreateDatabase,
      async run(parts, values, context) {
        const { workspace } = values
        if (typeof workspace === 'string') await getWorkspace(parts.db, workspace)
        const result = await run({ ...parts, actor: COMMAND_LINE }, values as ReadValues<Options>, context)
        const text = format(withVisibleTexts(result), parts) ?? visibleJson(result)
        return { result, text, failed: failed(result), resultToStderr: resultToStderr(result) }
      },
    },
  }
}

/** Performs an action and notifies open pages. */
export async function act<Schema extends z.ZodObject, Result>(
  action: Action<Schema, Result>,
  operator: Operator,
  input: ActionInput<Schema>,
): Promise<Result> {
  const result = await perform(action, operator, input)
  operator.live.changed([input.workspaceId])
  return result
}

export const notFound = (text: string): UserError => new UserError(asWritten(text), 'NOT_FOUND')

/** `--cod-refusals` for `codRefusals`. */
export const optionName = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Rows under headings, each column as wide as its longest text. Undefined without rows. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined
  const all = [headings, ...rows]
  const widths = headings.map((_, index) => Math.max(...all.map((row) => Array.from(row[index] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
