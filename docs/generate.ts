/**
 * `npm run docs`: writes every statement, the tables of the documents that the code has as tables, the programs that documents
 * show, and the types of the client package.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ensureInstalled } from '../tools/install.ts'
import { EXAMPLE_DOCUMENTS, withExamples } from './examples.ts'
import { declaredStatements, statementsFile } from './statements.ts'
import { tables, withRows } from './tables.ts'

for (const table of tables) {
  const file = path.join(import.meta.dirname, table.document)
  await writeFile(file, withRows(await readFile(file, 'utf8'), table))
}

for (const document of EXAMPLE_DOCUMENTS) {
  const file = path.join(import.meta.dirname, document)
  await writeFile(file, await withExamples(await readFile(file, 'utf8')))
}

await writeFile(path.join(import.meta.dirname, 'statements.sql'), statementsFile(await declaredStatements()))

// Imported here: statements must be declared after docs/statements.ts was imported, and the tool may not be installed yet.
await ensureInstalled('check')
const { CLIENT_TYPES, clientTypes } = await import('../tools/check/client-types.ts')
const { apiDocument } = await import('./api-document.ts')
await writeFile(CLIENT_TYPES, await clientTypes(apiDocument()))
