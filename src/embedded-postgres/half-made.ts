import { randomBytes } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

const PREFIX = 'unfinished-'

/** Things are made under such a name and renamed when whole: what a killed process leaves behind is never taken for them. */
export const halfMadeIn = (folder: string): string => path.join(folder, `${PREFIX}${randomBytes(6).toString('hex')}`)

/** `untouchedMs` spares what another process may be at work on, where no lock keeps it away. */
export async function removeHalfMade(folder: string, untouchedMs = 0): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const file = path.join(folder, name)
    const touchedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - touchedAt < untouchedMs) continue
    await rm(file, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** So that the new name is there after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
