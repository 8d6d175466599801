import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../../../test/world/temporary-folder.ts'

test('the data folder can be locked on a full disk', async (t) => {
  const folder = await temporaryFolder(t)
  const module = path.join(import.meta.dirname, 'folder-lock.ts')
  const script = `
    const { withFolderLock } = await import(${JSON.stringify(module)})
    process.stdout.write(await withFolderLock(${JSON.stringify(folder)}, undefined, async () => 'locked'))`
  // No file may grow: the system answers as for a full disk.
  const limited = 'ulimit -f 0 && exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, script], { env: {} })
  assert.equal(stdout, 'locked')
})
