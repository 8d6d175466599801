import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { StartupError } from '../../lib/errors.ts'
import { claimFolder } from './running.ts'
import { temporaryFolder } from '../../../test/world/temporary-folder.ts'

test('a claimed folder names its holder until it is released', async (t) => {
  const folder = await temporaryFolder(t)
  const first = await claimFolder(folder, { pid: 13_213, url: 'http://127.0.0.1:3000' })
  await assert.rejects(
    claimFolder(folder, { pid: 7, url: 'http://127.0.0.1:4000' }),
    (error) =>
      error instanceof StartupError &&
      error.message ===
        `Doorcode is already running in ${folder} (pid 13213, http://127.0.0.1:3000). Stop it, or set DOORCODE_DATA_DIR to another folder.`,
  )
  first[Symbol.dispose]()
  const second = await claimFolder(folder, { pid: 7, url: 'http://127.0.0.1:4000' })
  second[Symbol.dispose]()
})

test('a damaged file of the claim is named as one that can be deleted', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(path.join(folder, 'running.db'), 'x'.repeat(8192))
  await assert.rejects(
    claimFolder(folder, { pid: 7, url: 'http://127.0.0.1:4000' }),
    (error) => error instanceof StartupError && /running\.db is damaged\. .* delete the file/.test(error.message),
  )
})
