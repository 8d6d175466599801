/** Runs the files that start nothing in this one process (test/run.ts): most of the time that each took was its start. */
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const files = JSON.parse(process.env.TEST_TOGETHER ?? '[]') as string[]

for (const file of files) {
  await import(pathToFileURL(path.resolve(file)).href).catch((error: unknown) => {
    test(file, () => {
      throw error
    })
  })
}
