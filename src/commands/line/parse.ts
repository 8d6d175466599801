import { Command as Program, CommanderError } from 'commander'
import { type Command, type CommandGroup, type Environment, type Input, InputError, optionName } from '../command.ts'
import { STANDARD_INPUT, readSecretFile } from '../json-file.ts'

/** `help` is the help of the command, or of the group in which the command was not found; empty below a suggestion. */
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

type ParseOptions = {
  /** How the user calls the program. */
  name?: string
  environment?: Environment
}

/** Throws UsageError. */
export async function parse(
  given: readonly string[],
  groups: readonly CommandGroup[],
  { name = 'doorcode', environment = {} }: ParseOptions = {},
): Promise<ParsedCommand | { help: string }> {
  const args = withoutSynonyms(given)
  let printed = ''
  let parsed: ParsedCommand | undefined
  const print = (text: string): void => void (printed += text)
  const program = new Program(name)
    .usage('<command> [--json]')
    .option('--json', 'Print one JSON object; errors are printed to stderr as JSON.')
    .addHelpText('after', `\n"${name} help <command>" explains a command. Settings: docs/configuration.md.`)
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
    .helpCommand(false) // "withoutSynonyms" does more
    .helpOption('-h, --help', HELP)
    .exitOverride()
    .showHelpAfterError()
    .allowExcessArguments() // commander would quote them, and one may be a secret
  const commands = groups.flatMap((group) => group.commands)
  for (const group of groups) {
    for (const command of group.commands) {
      addCommand(program, command, { name, title: group.title }).action(
        async (options: GivenOptions, called: Program) => {
          parsed = {
            command,
            values: await readValues(command, { options, called, environment }),
            json: args.includes('--json'),
          }
        },
      )
    }
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const [noun = '--help'] = args
    const isKnown = noun.startsWith('-') || program.commands.some((each) => each.name() === noun)
    if (error.code === 'commander.helpDisplayed')
      return isKnown ? { help: printed.trimEnd() } : parse([noun], groups, { name }) // throws
    throw new UsageError([faultOf(error, { args, commands, name })], isAnswered(error) ? '' : printed.trim())
  }
  if (!parsed) throw new Error('commander called no command')
  return parsed
}

const HELP = 'Show this help.'

/** `help key create` for `key create --help`, and `--version` for `version`. */
function withoutSynonyms([first = '', ...rest]: readonly string[]): string[] {
  if (first === 'help') return [...rest, '--help']
  return [first === '--version' ? 'version' : first, ...rest].filter((word, index) => index > 0 || word !== '')
}

/** Commander sees every option as optional and as a list, so that `readValues` can report all faults together. */
function addCommand(program: Program, command: Command, { name, title }: { name: string; title: string }): Program {
  const { words, example, summary, options } = command
  const [noun = '', verb] = words.split(' ')
  const group = program.commands.find((each) => each.name() === noun)
  const parent =
    verb === undefined ? program : (group ?? program.command(noun).helpGroup(`${title}:`).helpCommand(false))
  const added = parent.command(verb ?? noun).description(summary)
  if (verb === undefined) added.helpGroup(`${title}:`)
  else parent.usage('<command> [--json]').summary(parent.commands.map((each) => each.name()).join(', '))
  for (const [option, { kind, placeholder, description, variable }] of Object.entries(options)) {
    const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text]
    const required = kind === 'required' ? ' (required)' : ''
    if (kind === 'argument') added.addHelpText('after', `\nArgument:\n  <${option}>  ${description}`)
    else if (kind === 'flag') added.option(optionName(option), description)
    else if (kind === 'secret')
      added
        .option(`${optionName(fileOf(option))} <file>`, describeFile(description, variable), collect)
        .option(`${optionName(option)} <${placeholder}>`, VISIBLE, collect)
    else added.option(`${optionName(option)} <${placeholder}>`, `${description}${required}`, collect)
  }
  added.addHelpText('after', `\nExample:\n  ${`${name} ${words} ${example}`.trim()}`)
  return added.usage(usageOf(command))
}

/** The option for the file of a secret: `accessTokenFile`. */
const fileOf = (secret: string): string => `${secret}File`

const describeFile = (description: string, variable = ''): string =>
  `${description} In a file; "-" is standard input. Default: the environment variable ${variable}.`

const VISIBLE = 'The same as text, which other users of the machine can read while the command runs.'

function usageOf({ options }: Command): string {
  const parts = Object.entries(options).map(([name, { kind, placeholder }]) => {
    if (kind === 'argument') return `<${name}>`
    if (kind === 'secret') return `${optionName(fileOf(name))} <file>`
    const option = kind === 'flag' ? optionName(name) : `${optionName(name)} <${placeholder}>`
    return kind === 'required' ? option : `[${option}]`
  })
  return [...parts, '[--json]'].join(' ')
}

type GivenOptions = Readonly<Record<string, readonly string[] | true | undefined>>

type GivenCall = { options: GivenOptions; called: Program; environment: Environment }

/** What was given for an input, and how its text becomes the value. */
type Source = { label: string; texts: readonly string[]; read: Input['read'] }

async function readValues(
  command: Command,
  { options, called, environment }: GivenCall,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  const readInput = async (name: string, { kind }: Input, { label, texts, read }: Source): Promise<void> => {
    const [text, second] = texts
    try {
      if (second !== undefined) faults.push(`${label} was given twice`)
      else if (text?.startsWith('--')) faults.push(`${label} needs a value`)
      else if (text !== undefined) values[name] = await read(text)
      else if (kind !== 'optional') faults.push(`${label} is missing`)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      faults.push(`${label} ${error.message}`)
    }
  }
  const inputs = Object.entries(command.options)
  const readers = inputs
    .filter(([name]) => textsOf(options, fileOf(name)).includes(STANDARD_INPUT))
    .map(([name]) => name)
  if (readers.length > 1)
    faults.push(`${readers.map((name) => optionName(fileOf(name))).join(' and ')} cannot both read standard input`)
  for (const [name, input] of inputs) {
    if (input.kind === 'flag') values[name] = options[name] === true
    else if (faults.length > 0 && readers.includes(name))
      continue // standard input can be read only once
    else await readInput(name, input, sourceOf(name, input, { options, called, environment }))
  }
  const maxArguments = inputs.filter(([, { kind }]) => kind === 'argument').length
  if (called.args.length > maxArguments) faults.push('too many arguments')
  if (faults.length > 0) throw new UsageError(faults, called.helpInformation().trim())
  return values
}

const textsOf = (options: GivenOptions, name: string): readonly string[] => {
  const given = options[name]
  return given === undefined || given === true ? [] : given
}

function sourceOf(
  name: string,
  { kind, variable = '', ...input }: Input,
  { options, called, environment }: GivenCall,
): Source {
  const read: Input['read'] = (text) => input.read(text)
  const texts = textsOf(options, name)
  if (kind === 'argument') return { label: `<${name}>`, texts: called.args.slice(0, 1), read }
  const label = optionName(name)
  if (kind !== 'secret') return { label, texts, read }
  const fileLabel = optionName(fileOf(name))
  const files = textsOf(options, fileOf(name))
  if (texts.length > 0 && files.length > 0)
    return { label: `${label} and ${fileLabel}`, texts, read: () => fail('were both given: use only one of them') }
  if (texts.length > 0) return { label, texts, read }
  if (files.length > 0)
    return { label: fileLabel, texts: files, read: async (file) => read(await readSecretFile(file)) }
  const stored = (environment[variable] ?? '').trim()
  return { label: fileLabel, texts: stored === '' ? [] : [stored], read }
}

function fail(message: string): never {
  throw new InputError(message)
}

/** By a suggestion, which the list of all commands would hide. */
const isAnswered = ({ code, message }: CommanderError): boolean =>
  code === 'commander.unknownCommand' && message.includes('Did you mean')

/** What commander reports, with what to do. The value after "=" is left out: it may be a secret. */
function faultOf(
  { code, message }: CommanderError,
  { args, commands, name }: { args: readonly string[]; commands: readonly Command[]; name: string },
): string {
  const isGroup = commands.some(({ words }) => words.startsWith(`${args[0]} `))
  const hint = `"${name} ${isGroup ? `${args[0]} ` : ''}--help" lists the commands`
  if (code === 'commander.help') return `no command given; ${hint}`
  const fault = message
    .replace(/^error: /, '')
    .replace(/=[^']*'/s, "' with a value")
    .replace('\n', ' ')
  return code === 'commander.unknownCommand' ? `${fault}; ${hint}` : fault
}
