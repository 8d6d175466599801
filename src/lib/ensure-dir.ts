import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Creates the folder and its missing parents, and resolves with the topmost one created. Node's recursive mkdir loops for
 * ever in an existing folder that allows no new entries, such as /proc.
 */
export async function ensureDir(folder: string, mode: number): Promise<string | undefined> {
  if (await isFolder(folder)) return undefined
  const first = await ensureDir(path.dirname(folder), mode)
  try {
    await mkdir(folder, { mode })
    return first ?? folder
  } catch (error) {
    if (await isFolder(folder)) return first // another process has just created it
    throw error
  }
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
