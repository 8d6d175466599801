import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { TEMPLATE_DATABASE, createDatabase, dropDatabase, ownerUrlOf, serverUrl } from './postgres.ts'

const name = `test_${process.pid}`
let url: Promise<string> | undefined

/** The connection url of this process's database, which is created on first use and removed with the run's server. */
export function fileDatabase(): Promise<string> {
  url ??= createDatabase(serverUrl(), name, TEMPLATE_DATABASE).then(() => ownerUrlOf(name))
  return url
}

/** A separate database, empty or migrated. */
export async function ownDatabase(t: TestContext, template?: string): Promise<{ name: string; url: string }> {
  const name = `own_${randomUUID().replaceAll('-', '')}`
  await createDatabase(serverUrl(), name, template)
  t.after(() => dropDatabase(serverUrl(), name))
  return { name, url: ownerUrlOf(name) }
}
