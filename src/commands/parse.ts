import { type Command, type Input, Misread, optionName } from './command.ts'

/** The command line is not as its usage says: that of the commands which its words may mean. */
export class UsageMistake extends Error {
  readonly faults: readonly string[]
  readonly commands: readonly Command[]

  constructor(faults: readonly string[], commands: readonly Command[]) {
    super(faults.join('; '))
    this.name = 'UsageMistake'
    this.faults = faults
    this.commands = commands
  }
}

export type Parsed = { command: Command; values: Record<string, unknown>; json: boolean }

export type Asked = Parsed | { help: readonly Command[] }

const EVERYWHERE = new Set(['--json', '--help', '-h'])

/** Throws UsageMistake that names every fault at once. */
export function parse(args: readonly string[], table: readonly Command[]): Asked {
  const json = args.includes('--json')
  const help = args.includes('--help') || args.includes('-h')
  const rest = args.filter((arg) => !EVERYWHERE.has(arg))
  const command = table.find(({ words }) => startsWith(rest, words.split(' ')))
  const near = table.filter(({ words }) => words.split(' ')[0] === rest[0])
  if (help) return { help: command ? [command] : near.length > 0 ? near : table }
  if (!command) throw new UsageMistake([unknown(rest, near)], near)
  return { command, values: read(rest.slice(command.words.split(' ').length), command), json }
}

const startsWith = (args: readonly string[], words: readonly string[]): boolean =>
  words.every((word, index) => args[index] === word)

function unknown([noun, verb]: readonly string[], near: readonly Command[]): string {
  if (noun === undefined) return 'which command? "doorcode --help" lists them'
  if (near.length === 0) return `there is no command "${noun}"; "doorcode --help" lists them all`
  const names = near.map(({ words }) => `"${words}"`)
  if (verb === undefined || verb.startsWith('-'))
    return names.length === 1 ? `the command is ${names[0]}` : `say which: ${listed(names, 'or')}`
  return `there is no command "${noun} ${verb}"; there ${names.length === 1 ? 'is' : 'are'} ${listed(names, 'and')}`
}

const listed = (names: readonly string[], word: 'and' | 'or'): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${word} `)

function read(args: readonly string[], command: Command): Record<string, unknown> {
  const { given, words, faults } = split(args, command)
  const values: Record<string, unknown> = {}
  const put = (name: string, shown: string, input: Input, text: string | undefined): void => {
    try {
      if (text !== undefined) values[name] = input.read(text)
      else if (input.kind === 'required') faults.push(`${shown} is missing`)
      else if (input.kind === 'flag') values[name] = false
    } catch (error) {
      if (!(error instanceof Misread)) throw error
      faults.push(`${shown} ${error.message}`)
    }
  }
  const taken = command.argument ? 1 : 0
  if (command.argument) put('argument', `<${command.argument.name}>`, command.argument, words[0])
  if (words.length > taken && faults.length === 0)
    faults.push(words.length - taken === 1 ? 'one word is too many' : 'some words are too many')
  for (const [name, input] of Object.entries(command.options)) {
    const toldAlready = given.has(name) && given.get(name) === undefined
    if (!toldAlready) put(name, optionName(name), input, given.get(name))
  }
  if (faults.length > 0) throw new UsageMistake(faults, [command])
  return values
}

/** An option whose value is missing is given as undefined: its fault is told already. */
type Split = { given: Map<string, string | undefined>; words: string[]; faults: string[] }

/** Values are not looked at, so that none of them, which may be a secret, gets into a sentence here. */
function split(args: readonly string[], command: Command): Split {
  const given = new Map<string, string | undefined>()
  const words: string[] = []
  const faults: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (!arg.startsWith('-')) {
      words.push(arg)
      continue
    }
    const [shown, inline] = cut(arg)
    const name = Object.keys(command.options).find((each) => optionName(each) === shown)
    const input = name === undefined ? undefined : command.options[name]
    const takesValue = input === undefined ? false : input.kind !== 'flag'
    const next = args[index + 1]
    const value = inline ?? (takesValue && next !== undefined && !next.startsWith('--') ? next : undefined)
    if (takesValue && inline === undefined && value !== undefined) index += 1

    if (name === undefined) faults.push(`there is no option ${shown}`)
    else if (given.has(name)) faults.push(`${shown} is given twice`)
    else if (takesValue && value === undefined) faults.push(`${shown} needs a value`)
    else if (!takesValue && inline !== undefined) faults.push(`${shown} takes no value`)
    if (name !== undefined && !given.has(name)) given.set(name, takesValue ? value : '')
  }
  return { given, words, faults }
}

function cut(arg: string): [string, string | undefined] {
  const at = arg.indexOf('=')
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)]
}
