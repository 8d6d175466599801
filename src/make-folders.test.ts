import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeFolders } from './make-folders.ts'

test('missing folders are made with the mode, and the first of them is told', async (t) => {
  const place = await newPlace(t)
  const [above, folder] = [path.join(place, 'a'), path.join(place, 'a', 'b', 'c')]
  assert.equal(await makeFolders(folder, 0o700), above)
  for (const made of [above, folder]) assert.equal((await stat(made)).mode & 0o777, 0o700)
  assert.equal(await makeFolders(folder, 0o711), undefined)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.equal(await makeFolders(path.join(folder, 'd'), 0o700), path.join(folder, 'd'))
})

test('several who make the same folders at once all find them', async (t) => {
  const folder = path.join(await newPlace(t), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 10 }, () => makeFolders(folder, 0o700)))
  assert.ok((await stat(folder)).isDirectory())
})

test('a file in the way is told', async (t) => {
  const file = path.join(await newPlace(t), 'file')
  await writeFile(file, '')
  await assert.rejects(makeFolders(file, 0o700), /EEXIST/)
  await assert.rejects(makeFolders(path.join(file, 'a', 'b'), 0o700), /ENOTDIR/)
})

test('a folder in which nothing can be made is told and not tried for ever', {
  skip: !existsSync('/proc/self'),
}, async () => {
  await assert.rejects(makeFolders('/proc/doorcode', 0o700), /ENOENT/)
  await assert.rejects(makeFolders('/proc/doorcode/a/b', 0o700), /ENOENT/)
})

async function newPlace(t: TestContext): Promise<string> {
  const place = await mkdtemp(path.join(os.tmpdir(), 'doorcode-folders-'))
  t.after(() => rm(place, { recursive: true }))
  return place
}
