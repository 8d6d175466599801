import { TEMPLATE_DATABASE, createDatabase, serverUrl, urlOf } from './postgres.ts'

const name = `test_${process.pid}`
let url: Promise<string> | undefined

/** The connection url of this process's database: made on first use, gone with the server of the run. */
export function fileDatabase(): Promise<string> {
  url ??= createDatabase(serverUrl(), name, TEMPLATE_DATABASE).then(() => urlOf(serverUrl(), name))
  return url
}
