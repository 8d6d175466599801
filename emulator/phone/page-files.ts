import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** `lasting`: its name changes with what is in it. */
export type PageFile = { type: string; bytes: Buffer; lasting: boolean }

/**
 * Finds files of built pages by their names. They are built and read when one is asked for first, a megabyte or two, and
 * kept; `make` makes of each what its server needs. A request after a failure tries again.
 */
export function openPageFiles<File>(
  build: () => Promise<string>,
  make: (file: PageFile) => File,
): (name: string) => Promise<File | undefined> {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  return async (name) => {
    files ??= build().then((folder) => readAll(folder, make))
    const all = await files.catch((error: unknown) => {
      files = undefined
      throw error
    })
    return all.get(name)
  }
}

async function readAll<File>(folder: string, make: (file: PageFile) => File): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, file)
    const type = TYPES[path.extname(name)]
    if (type) files.set(name, make({ type, bytes: await readFile(file), lasting: name.startsWith('assets/') }))
  }
  return files
}
