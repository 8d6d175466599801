import { readFile } from 'node:fs/promises'
import path from 'node:path'

const EXAMPLES = path.resolve(import.meta.dirname, '../examples')

/** The documents that show programs of `examples/`, which the tests run. */
export const EXAMPLE_DOCUMENTS = ['quickstart-codes.md', 'quickstart-orders.md'] as const

const BLOCK = /(<!-- example: ([\w./]+) -->\n```\w+\n)[^]*?```\n/g

/** The document with the text of each file under its comment. `npm run docs` writes it. */
export async function withExamples(text: string): Promise<string> {
  const files = new Map<string, string>()
  for (const [, , name = ''] of text.matchAll(BLOCK)) files.set(name, await readFile(path.join(EXAMPLES, name), 'utf8'))
  return text.replaceAll(BLOCK, (_, head: string, name: string) => `${head}${files.get(name) ?? ''}\`\`\`\n`)
}
