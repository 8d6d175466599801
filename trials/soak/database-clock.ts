import { chmod, glob, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1'
/** How long libfaketime keeps an offset before it reads the file again. */
const READ_EVERY_SECONDS = 1

/**
 * Moves the clock of one PostgreSQL. While it is ahead, libfaketime delays PostgreSQL's timeouts (`lock_timeout`, `statement_timeout`,
 * `deadlock_timeout`) by as much. A real clock does not. libfaketime reads the offset from a file in this folder, which the server's user can
 * read. Ends the program if libfaketime is missing.
 */
export async function createDatabaseClock(folder: string) {
  const library = (await Array.fromAsync(glob(LIBRARY)))[0]
  if (library === undefined) {
    console.error(
      'npm run soak moves the clock of its database and needs libfaketime. Install it with "apt-get install --no-install-recommends libfaketime".',
    )
    process.exit(2)
  }
  const file = path.join(folder, 'clock-offset')
  /** The server's clock is ahead of this machine's by this much, or behind it if negative, after READ_EVERY_SECONDS. */
  const setOffset = async (seconds: number): Promise<void> => {
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
    await chmod(`${file}.new`, 0o644)
    await rename(`${file}.new`, file) // the server never reads half an offset
  }
  await setOffset(0)
  return {
    /** For the server's process. */
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: String(READ_EVERY_SECONDS),
      FAKETIME_DONT_FAKE_MONOTONIC: '1', // a real clock that is set does not move the monotonic one
    },
    setOffset,
  }
}
