import { Command as Program, CommanderError } from 'commander'
import { type Command, type Input, InputError, optionName } from './command.ts'

/** `help` is the help of the command, or of the group in which the command was not found. */
export class UsageError extends Error {
  readonly faults: readonly string[]
  readonly help: string

  constructor(faults: readonly string[], help: string) {
    super(faults.join('; '))
    this.name = 'UsageError'
    this.faults = faults
    this.help = help
  }
}

export type ParsedCommand = { command: Command; values: Record<string, unknown>; json: boolean }

/** Throws UsageError. */
export async function parse(
  args: readonly string[],
  commands: readonly Command[],
): Promise<ParsedCommand | { help: string }> {
  let printed = ''
  let parsed: ParsedCommand | undefined
  const print = (text: string): void => void (printed += text)
  const program = new Program('doorcode')
    .usage('<command> [--json]')
    .option('--json', 'Print one JSON object; errors are printed to stderr as JSON.')
    .addHelpText('after', '\n"doorcode <command> --help" explains a command. Settings: docs/configuration.md.')
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
    .exitOverride()
    .showHelpAfterError()
    .allowExcessArguments() // commander would quote them, and one may be a secret
  for (const command of commands) {
    addCommand(program, command).action(async (options: GivenOptions, called: Program) => {
      parsed = { command, values: await readValues(command, options, called), json: args.includes('--json') }
    })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') return { help: printed.trimEnd() }
    throw new UsageError([faultOf(error, args, commands)], printed.trim())
  }
  if (!parsed) throw new Error('commander called no command')
  return parsed
}

/** For commander every option is optional and a list, so that `readValues` can report all faults at once. */
function addCommand(program: Program, command: Command): Program {
  const { words, summary, options } = command
  const [noun = '', verb] = words.split(' ')
  const group = program.commands.find((each) => each.name() === noun)
  const parent = verb === undefined ? program : (group ?? program.command(noun))
  const added = parent.command(verb ?? noun).description(summary)
  if (verb !== undefined)
    parent.usage('<command> [--json]').description(parent.commands.map((each) => each.name()).join(', '))
  for (const [name, { kind, placeholder, description }] of Object.entries(options)) {
    const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text]
    const required = kind === 'required' ? ' (required)' : ''
    if (kind === 'argument') added.addHelpText('after', `\nArgument:\n  <${name}>  ${description}`)
    else if (kind === 'flag') added.option(optionName(name), description)
    else added.option(`${optionName(name)} <${placeholder}>`, `${description}${required}`, collect)
  }
  return added.usage(usageOf(command))
}

function usageOf({ options }: Command): string {
  const parts = Object.entries(options).map(([name, { kind, placeholder }]) => {
    if (kind === 'argument') return `<${name}>`
    const option = kind === 'flag' ? optionName(name) : `${optionName(name)} <${placeholder}>`
    return kind === 'required' ? option : `[${option}]`
  })
  return [...parts, '[--json]'].join(' ')
}

type GivenOptions = Readonly<Record<string, readonly string[] | true | undefined>>

async function readValues(command: Command, options: GivenOptions, called: Program): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  const readInput = async (name: string, input: Input, [text, second]: readonly string[]): Promise<void> => {
    const label = input.kind === 'argument' ? `<${name}>` : optionName(name)
    try {
      if (second !== undefined) faults.push(`${label} was given twice`)
      else if (text?.startsWith('--')) faults.push(`${label} needs a value`)
      else if (text !== undefined) values[name] = await input.read(text)
      else if (input.kind !== 'optional') faults.push(`${label} is missing`)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      faults.push(`${label} ${error.message}`)
    }
  }
  const inputs = Object.entries(command.options)
  for (const [name, input] of inputs) {
    const texts = input.kind === 'argument' ? called.args.slice(0, 1) : (options[name] ?? [])
    if (input.kind === 'flag') values[name] = texts === true
    else if (texts !== true) await readInput(name, input, texts)
  }
  const maxArguments = inputs.filter(([, { kind }]) => kind === 'argument').length
  if (called.args.length > maxArguments) faults.push('too many arguments')
  if (faults.length > 0) throw new UsageError(faults, called.helpInformation().trim())
  return values
}

/** What commander reports, with what to do. The value after "=" is left out: it may be a secret. */
function faultOf({ code, message }: CommanderError, args: readonly string[], commands: readonly Command[]): string {
  const isGroup = commands.some(({ words }) => words.startsWith(`${args[0]} `))
  const hint = `"doorcode ${isGroup ? `${args[0]} ` : ''}--help" lists the commands`
  if (code === 'commander.help') return `no command given; ${hint}`
  const fault = message
    .replace(/^error: /, '')
    .replace(/=[^']*'/s, "' with a value")
    .replace('\n', ' ')
  return code === 'commander.unknownCommand' ? `${fault}; ${hint}` : fault
}
