import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { ensureDir } from './ensure-dir.ts'
import { temporaryFolder } from '../../test/world/temporary-folder.ts'

test('missing folders are created with the mode, and the topmost is returned', async (t) => {
  const root = await temporaryFolder(t)
  const [above, folder] = [path.join(root, 'a'), path.join(root, 'a', 'b', 'c')]
  assert.equal(await ensureDir(folder, 0o700), above)
  for (const made of [above, folder]) assert.equal((await stat(made)).mode & 0o777, 0o700)
  assert.equal(await ensureDir(folder, 0o711), undefined)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.equal(await ensureDir(path.join(folder, 'd'), 0o700), path.join(folder, 'd'))
})

test('concurrent calls for the same folders all succeed', async (t) => {
  const folder = path.join(await temporaryFolder(t), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 10 }, () => ensureDir(folder, 0o700)))
  assert.ok((await stat(folder)).isDirectory())
})

test('a file in the way is an error', async (t) => {
  const file = path.join(await temporaryFolder(t), 'file')
  await writeFile(file, '')
  await assert.rejects(ensureDir(file, 0o700), /EEXIST/)
  await assert.rejects(ensureDir(path.join(file, 'a', 'b'), 0o700), /EEXIST/)
})

test('a folder that allows no entries is an error, not an endless loop', {
  skip: !existsSync('/proc/self'),
}, async () => {
  await assert.rejects(ensureDir('/proc/doorcode', 0o700), /ENOENT/)
  await assert.rejects(ensureDir('/proc/doorcode/a/b', 0o700), /ENOENT/)
})
