import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { apiDocument } from '../../docs/api-document.ts'
import { ensureInstalled, toolsPath } from '../../tools/install.ts'
import { temporaryFolder } from '../world/temporary-folder.ts'
import { pack } from './packed.ts'

const run = promisify(execFile)

type Fault = Error & { stdout: string }

test('publint and attw find no fault in the packed client', async (t) => {
  await ensureInstalled('check')
  const folder = await temporaryFolder(t)
  const { tarball } = await pack(folder, { name: 'client' })
  const check = (program: string, ...args: string[]) =>
    run(program, args, { cwd: folder, env: { ...process.env, PATH: toolsPath() } }).catch((fault: Fault) =>
      assert.fail(fault.stdout || fault.message),
    )
  await check('publint', tarball, '--strict')
  await check('attw', tarball, '--profile', 'esm-only') // Node 20 and later load it with require() too
})

test('npm run docs has written the types of the client', async () => {
  await ensureInstalled('check')
  const { CLIENT_TYPES, clientTypes } = await import('../../tools/check/client-types.ts')
  assert.equal(await readFile(CLIENT_TYPES, 'utf8'), await clientTypes(apiDocument()))
})
