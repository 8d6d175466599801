import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * The folder and those above it that are missing; resolves with the first one that was made, undefined when all were
 * there. Node's own recursive mkdir tries for ever where a folder is there and nothing can be made in it, as in /proc.
 */
export async function makeFolders(folder: string, mode: number): Promise<string | undefined> {
  const above = path.dirname(folder)
  if (above === folder) return undefined
  try {
    await mkdir(folder, { mode })
    return folder
  } catch (error) {
    if (await isFolder(folder)) return undefined
    if (!isMissing(error) || (await isFolder(above))) throw error
  }
  const first = await makeFolders(above, mode)
  return (await makeFolders(folder, mode)) === undefined ? first : (first ?? folder)
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Nothing is there under that name. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
