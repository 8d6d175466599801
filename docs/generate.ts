/** `npm run docs`: writes the tables of the documents that the code has as tables: failure codes and settings. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { settings } from '../src/config.ts'
import { failureCodes } from '../src/providers/failure-codes.ts'

await writeRows(
  'failure-codes.md',
  Object.entries(failureCodes).map(([code, { owner, cause, fix }]) => [`\`${code}\``, owner, cause, fix]),
)
await writeRows(
  'configuration.md',
  Object.entries(settings).map(([name, { default: usual, meaning }]) => [
    `\`${name}\``,
    usual === '' ? '' : `\`${usual}\``,
    meaning,
  ]),
)

/** Replaces the rows whose first cell is a name in capitals. */
async function writeRows(document: string, rows: readonly (readonly string[])[]): Promise<void> {
  const file = path.join(import.meta.dirname, document)
  const text = await readFile(file, 'utf8')
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  await writeFile(file, text.replace(/(?:^\| `[A-Z_]+` \|.*\n)+/m, () => table))
}
