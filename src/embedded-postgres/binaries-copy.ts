import { chmod, cp, lstat, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { halfMadeIn } from './half-made.ts'
import { openSystemFolder } from './system-folder.ts'
import type { SystemUser } from './system-user.ts'

type Copying = {
  /** Of the copy; what differs needs a name of its own. */
  name: string
  user: SystemUser
  /** The first of them that can be had is taken. */
  places: readonly string[]
}

/** A copy of `source` that `user` can run, made once; undefined when there is no place to keep it. */
export async function copyWithinReach(source: string, { name, user, places }: Copying): Promise<string | undefined> {
  for (const place of places) {
    const folder = await openSystemFolder(place, user)
    const copy = folder && path.join(folder, name)
    if (copy && (await copyOnce(source, copy))) return copy
  }
  return undefined
}

/** False when it could not be made, such as on a full disk. Whoever is slower than another process finds its copy in place. */
async function copyOnce(source: string, copy: string): Promise<boolean> {
  if (await isWhole(copy, source)) return true
  const unfinished = halfMadeIn(path.dirname(copy))
  try {
    await rm(copy, { recursive: true, force: true }) // part of one: /tmp is cleaned file by file
    await cp(source, unfinished, { recursive: true, verbatimSymlinks: true })
    await openForAll(unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    await rm(unfinished, { recursive: true, force: true })
  }
  return isWhole(copy, source)
}

/** By names and sizes, which takes some 0.1 s; comparing the bytes would take longer than the whole start. */
async function isWhole(copy: string, source: string): Promise<boolean> {
  const [there, here] = await Promise.all([listFiles(copy), listFiles(source)])
  return there.length === here.length && there.every((file, index) => file === here[index])
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return `${path.relative(folder, file)} ${(await lstat(file)).size}`
    })
  return (await Promise.all(files)).sort()
}

/** The source may have been unpacked for its owner alone. */
async function openForAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const runs = entry.isDirectory() || ((await lstat(file)).mode & 0o100) !== 0
    await chmod(file, runs ? 0o755 : 0o644)
  }
  await chmod(folder, 0o755)
}
