import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { endKeptSessions } from './kept-sessions.ts'
import { TEMPLATE_DATABASE, createDatabase, dropDatabase, ownerUrlOf, serverUrl } from './postgres.ts'

let url: Promise<string> | undefined
let left = 0

/** The connection url of this process's database, which is created on first use and removed with the run's server. */
export const fileDatabase = (): Promise<string> => (url ??= createCopy(`test_${process.pid}_${left}`))

async function createCopy(name: string): Promise<string> {
  await createDatabase(serverUrl(), name, TEMPLATE_DATABASE)
  return ownerUrlOf(name)
}

/** What follows in this process gets a new database. The caller ends the connections of this one. */
export function leaveDatabase(): void {
  url = undefined
  left += 1
  endKeptSessions()
}

/** A separate database, empty or migrated. */
export async function ownDatabase(t: TestContext, template?: string): Promise<{ name: string; url: string }> {
  const name = `own_${randomUUID().replaceAll('-', '')}`
  await createDatabase(serverUrl(), name, template)
  t.after(() => dropDatabase(serverUrl(), name))
  return { name, url: ownerUrlOf(name) }
}
