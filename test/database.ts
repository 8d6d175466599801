import { TEMPLATE_DATABASE, createDatabase, ownerUrlOf, serverUrl } from './postgres.ts'

const name = `test_${process.pid}`
let url: Promise<string> | undefined

/** The connection url of this process's database, which is created on first use and removed with the run's server. */
export function fileDatabase(): Promise<string> {
  url ??= createDatabase(serverUrl(), name, TEMPLATE_DATABASE).then(() => ownerUrlOf(name))
  return url
}
