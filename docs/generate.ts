/** `npm run docs`: writes the tables of the documents that the code has as tables: failure codes, settings, findings, and the errors of WhatsApp and of the database. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { settings } from '../src/lib/config.ts'
import { databaseFaults } from '../src/lib/db/faults.ts'
import { findingRows } from './finding-rows.ts'
import { failureCodes } from '../src/providers/failure-codes.ts'
import { errorMeanings, meaningOf } from '../src/providers/whatsapp/errors.ts'

await writeRows(
  'failure-codes.md',
  Object.entries(failureCodes).map(([code, { owner, cause, fix }]) => [
    `\`${code}\``,
    owner === 'caller' ? 'your backend' : owner,
    cause,
    fix,
  ]),
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

await writeRows('whatsapp-cloud-api.md', errorRows(), '<!-- errors -->')

await writeRows(
  'operations.md',
  databaseFaults.map(({ states, routines, kind, what, why }) => [
    `\`${kind}\``,
    (states.join(', ') || 'every other') + (routines ? ` (${routines.join(', ')})` : ''),
    what,
    why,
  ]),
  '<!-- database errors -->',
)

/** The known codes of each meaning. */
function errorRows(): string[][] {
  const codesOf = new Map<string, string[]>()
  const first = (codes: string): number => Number.parseInt(codes, 10)
  for (const code of [...Object.keys(errorMeanings), '200–299'].sort((one, other) => first(one) - first(other))) {
    const { class: errorClass, scope, failureCode } = meaningOf(first(code), null)
    const meaning = `\`${errorClass}\` | ${scope} | \`${failureCode}\``
    codesOf.set(meaning, [...(codesOf.get(meaning) ?? []), code])
  }
  const byMeaning = [...codesOf].sort(([one], [other]) => one.localeCompare(other))
  return byMeaning.map(([meaning, codes]) => [meaning, codes.join(', ')])
}

/** Replaces the first rows, below `head` if it is given, whose first cell is a name in one case. */
async function writeRows(document: string, rows: readonly (readonly string[])[], head = ''): Promise<void> {
  const file = path.join(import.meta.dirname, document)
  const text = await readFile(file, 'utf8')
  const from = text.indexOf(head) + head.length
  const table = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  const written = text.slice(from).replace(/(?:^\| `(?:[A-Z_]+|[a-z_]+)` \|.*\n)+/m, () => table)
  await writeFile(file, text.slice(0, from) + written)
}
