import { chown, mkdir } from 'node:fs/promises'
import { CannotStart } from '../cannot-start.ts'
import type { SystemUser } from './system-user.ts'

/** Made with mode 0700; one that exists stays as it is. */
export async function makePrivateFolder(folder: string, owner?: SystemUser): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (owner) await chown(folder, owner.uid, owner.gid)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotStart(
      `the folder ${folder} cannot be made (${reason}): mend its rights or set DOORCODE_DATA_DIR to another folder`,
    )
  }
}
