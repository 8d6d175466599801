import type { Config } from '../config.ts'
import { COMMAND_LINE, audit } from '../dashboard/audit.ts'
import type { Sql } from '../db.ts'
import type { Parts } from '../parts.ts'

/** What a command prints: one JSON object with --json, else the text. */
export type Printed = { result: object; text: string }

export type Command = {
  /** The words that call it, such as "workspace create". */
  words: string
  summary: string
  /** The one word that comes after the command's own, if it takes one. */
  argument: (Input & { name: string }) | undefined
  options: Readonly<Record<string, Input>>
  /** Whether it changes something, which the audit log then tells. */
  changes: boolean
  work: Work
}

type Work =
  /** Runs on the parts of the program, which are opened for it and closed after it. */
  | { on: 'parts'; run(parts: Parts, values: Values): Promise<Printed> }
  /** Runs until a signal, and prints for itself. */
  | { on: 'config'; run(config: Config): Promise<void> }

type Values = Readonly<Record<string, unknown>>

/** How the text of an option or argument becomes a value. `read` throws Misread. */
export type Input<Value = unknown> = {
  kind: 'required' | 'optional' | 'flag'
  /** What stands for the value in the usage. */
  placeholder: string
  read(text: string): Value
}

/** Says what the value must be, to go after its name: "must be …". */
export class Misread extends Error {}

/** What the audit log tells of a command beside its words. Nothing gets there that is not named here: no secret either. */
export type Recorded = {
  /** Null: of the whole instance. */
  workspaceId: string | null
  target: string
  before?: object | undefined
  after?: object | undefined
}

/** Writes a change down in the transaction that makes it, so that neither is there without the other. */
export type RecordChange = (tx: Sql, recorded: Recorded) => Promise<void>

type Definition<Options extends Record<string, Input>, Argument extends Input | undefined, Result extends object> = {
  words: string
  summary: string
  argument?: Argument
  options?: Options
  /** Whether it changes something: then its `run` records each change that it really makes. */
  changes: boolean
  run: (parts: Parts, values: ReadValues<Options> & ReadArgument<Argument>, record: RecordChange) => Promise<Result>
  tell: (result: Result, parts: Pick<Parts, 'config'>) => string
}

type ReadValues<Options extends Record<string, Input>> = {
  [Name in keyof Options]: Options[Name] extends Input<infer Value> ? Value : never
}

type ReadArgument<Argument> = Argument extends Input<infer Value> ? { argument: Value } : unknown

/** A command that runs on the parts. Its options are named in camelCase here and in kebab-case on the command line. */
export function command<
  Result extends object,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no options at all
  Options extends Record<string, Input> = {},
  Argument extends (Input & { name: string }) | undefined = undefined,
>({ words, summary, argument, options, changes, run, tell }: Definition<Options, Argument, Result>): Command {
  return {
    words,
    summary,
    argument,
    options: options ?? {},
    changes,
    work: {
      on: 'parts',
      async run(parts, given) {
        const values = given as ReadValues<Options> & ReadArgument<Argument>
        const result = await run(parts, values, recordOf(parts, words))
        return { result, text: tell(result, parts) }
      },
    },
  }
}

const recordOf =
  ({ clock }: Pick<Parts, 'clock'>, words: string): RecordChange =>
  (tx, recorded) =>
    audit(tx, { actor: COMMAND_LINE, at: clock.now() }, { action: words, ...recorded })

export const required = <Value>(input: Omit<Input<Value>, 'kind'>): Input<Value> => ({ kind: 'required', ...input })

export const optional = <Value>(input: Omit<Input<Value>, 'kind'>): Input<Value | undefined> => ({
  kind: 'optional',
  ...input,
})

export const flag: Input<boolean> = { kind: 'flag', placeholder: '', read: () => true }

/** `--cod-refusals N` of `codRefusals`. */
export const optionName = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export function usageOf({ words, argument, options }: Command): string {
  const parts = Object.entries(options).map(([name, { kind, placeholder }]) => {
    const option = [optionName(name), placeholder].filter(Boolean).join(' ')
    return kind === 'required' ? option : `[${option}]`
  })
  return [words, ...(argument ? [`<${argument.name}>`] : []), ...parts].join(' ')
}
