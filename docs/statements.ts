import { glob } from 'node:fs/promises'
import path from 'node:path'
import { BY_INDEX, statements } from '../src/lib/db/pool.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

/** `file` declares the statement. Its path is relative to the repository's root. */
export type DeclaredStatement = { name: string; file: string; text: string }

const fileOf = new Map<string, string>()
const add = statements.set.bind(statements)
// A helper may build the statement for the file that declares it, which is the outermost on the stack.
statements.set = (name, declared) => {
  const frames = (new Error().stack ?? '').split(`${ROOT}/`)
  const [file] = frames.findLast((frame) => frame.startsWith('src/'))?.split(':') ?? []
  if (file !== undefined) fileOf.set(name, file)
  return add(name, declared)
}

/**
 * All statements of `src`, by file and name. Call it in a process that has not imported them: a module runs only on its first
 * import.
 */
export async function declaredStatements(): Promise<DeclaredStatement[]> {
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    // cli.ts would run a command
    if (!file.endsWith('.test.ts') && file !== 'src/cli.ts') await import(path.join(ROOT, file))
  }
  const declared = [...statements.values()].map(({ name, text }) => {
    const file = fileOf.get(name)
    if (file === undefined) throw new Error(`${name} was declared before docs/statements.ts was imported`)
    return { name, file, text: withoutIndent(text) }
  })
  const positionOf = ({ file, name }: DeclaredStatement): string => `${file} ${name}`
  return declared.sort((one, other) => (positionOf(one) < positionOf(other) ? -1 : 1))
}

/** Removes the indent of the source file. The first line has none, because it begins after a quote. */
function withoutIndent(text: string): string {
  const [first = '', ...others] = text.split('\n')
  const indents = others.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const indent = Math.min(...indents)
  return [first.trim(), ...others.map((line) => line.slice(indent).trimEnd())].join('\n')
}

export const prepareText = ({ name, text }: DeclaredStatement): string => `prepare ${name} as\n${text};\n`

/** Returns the content of docs/statements.sql. */
export function statementsFile(declared: readonly DeclaredStatement[]): string {
  const files = Map.groupBy(declared, ({ file }) => file)
  const parts = [...files].map(([file, each]) => `-- ${file}\n\n${each.map(prepareText).join('\n')}`)
  return [HEAD, ...parts].join('\n')
}

const HEAD = `-- Every statement that Doorcode runs, as it is sent. "npm run docs" writes this file; do not edit it.
-- To see a plan in psql: \\i docs/statements.sql, then explain execute <name>(<parameters>);

-- Most connections have these settings (src/lib/db/pool.ts); those for figures and for a restore do not.
${Object.entries(BY_INDEX)
  .map(([setting, value]) => `set ${setting} = ${value};\n`)
  .join('')}`
