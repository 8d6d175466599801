/** `npm run docs`: writes the tables of the documents that the code has as tables: failure codes, settings and findings. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { settings } from '../src/config.ts'
import { findingRows } from './finding-rows.ts'
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

await writeRows(
  'doctor.md',
  findingRows().map(([code, ...cells]) => [`\`${code}\``, ...cells]),
)

/** Replaces the rows whose first cell is a name in one case. */
async function writeRows(document: string, rows: readonly (readonly string[])[]): Promise<void> {
  const file = path.join(import.meta.dirname, document)
  const text = await readFile(file, 'utf8')
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  await writeFile(file, text.replace(/(?:^\| `(?:[A-Z_]+|[a-z_]+)` \|.*\n)+/m, () => table))
}
