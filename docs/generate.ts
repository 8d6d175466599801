/** `npm run docs`: writes every statement, and the tables of the documents that the code has as tables. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { declaredStatements, statementsFile } from './statements.ts'
import { tables, withRows } from './tables.ts'

for (const table of tables) {
  const file = path.join(import.meta.dirname, table.document)
  await writeFile(file, withRows(await readFile(file, 'utf8'), table))
}

await writeFile(path.join(import.meta.dirname, 'statements.sql'), statementsFile(await declaredStatements()))
