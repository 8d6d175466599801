/**
 * One of the few processes that share the test files (test/run.ts): each loads and warms up the program once. A file is
 * a suite with its name, which ends with the last of its tests.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { leaveDatabase } from '../database/database.ts'
import { endAll } from './at-end.ts'
import { setRegistering } from './without-async-hooks.ts'

/** Resources that tests leave open must not keep the process, and so the run, from ending. */
const MAX_END_MS = 20_000

const folder = process.env.TEST_FOLDER ?? ''
const files = JSON.parse(process.env.TEST_QUEUE ?? '[]') as string[]
const alone = new Set(JSON.parse(process.env.TEST_OWN_DATABASE ?? '[]') as string[])

for (const [index, file] of files.entries()) {
  if (!isFirst(path.join(folder, `claimed-${index}`))) continue
  if (alone.has(file)) await changeDatabase()
  setRegistering(true)
  await suite(file, async () => {
    await import(pathToFileURL(path.resolve(file)).href).finally(() => setRegistering(false))
  })
  if (alone.has(file)) await changeDatabase()
  writeFileSync(path.join(folder, `ended-${index}`), '')
}
await endAll()
setTimeout(() => {
  console.error(`These still run after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}, MAX_END_MS).unref()

async function changeDatabase(): Promise<void> {
  await endAll()
  leaveDatabase()
}

/** Whether this worker is the first to claim it. */
function isFirst(claim: string): boolean {
  try {
    closeSync(openSync(claim, 'wx'))
    return true
  } catch {
    return false
  }
}
