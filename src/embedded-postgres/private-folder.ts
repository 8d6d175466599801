import { chmod, chown } from 'node:fs/promises'
import path from 'node:path'
import { CannotStart } from '../cannot-start.ts'
import { makeFolders } from '../make-folders.ts'
import type { SystemUser } from './system-user.ts'

/** Made with mode 0700; one that exists stays as it is. */
export async function makePrivateFolder(folder: string, owner?: SystemUser): Promise<void> {
  await orTellWhy(folder, async () => {
    await makeFolders(folder, 0o700)
    if (owner) await chown(folder, owner.uid, owner.gid)
  })
}

/** The data folder itself. `passing` must get through it, and through what had to be made above it, to its own part. */
export async function makeDataFolder(folder: string, passing: SystemUser | undefined): Promise<void> {
  await orTellWhy(folder, async () => {
    const first = await makeFolders(folder, 0o700)
    if (!passing) return
    for (let made = folder; made.length >= (first ?? folder).length; made = path.dirname(made)) await chmod(made, 0o711)
  })
}

export async function orTellWhy(folder: string, make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotStart(
      `the folder ${folder} cannot be made (${reason}): mend its rights or set DOORCODE_DATA_DIR to another folder`,
    )
  }
}
