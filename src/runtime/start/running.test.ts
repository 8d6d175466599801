import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { StartupError } from '../../lib/errors.ts'
import { claimFolder } from './running.ts'

test('a claimed folder names its holder until it is released', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-running-'))
  t.after(() => rm(folder, { recursive: true }))
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
