import { after } from 'node:test'
import { TEMPLATE_DATABASE, createDatabase, dropDatabase, serverUrl, urlOf } from './postgres.ts'

const name = `test_${process.pid}`
let url: Promise<string> | undefined

/** The connection url of this file's database: made on first use, dropped when the file's last test is over. */
export function fileDatabase(): Promise<string> {
  url ??= createDatabase(serverUrl(), name, TEMPLATE_DATABASE).then(() => urlOf(serverUrl(), name))
  return url
}

// At import, so that it belongs to the file; inside a test it would run at that test's end.
after(async () => {
  if (url) await dropDatabase(serverUrl(), name)
})
