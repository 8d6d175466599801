import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../lib/config.ts'
import type { NewFinding } from './finding.ts'

const MIB = 1024 * 1024
const LOW_BYTES = 2_048 * MIB
const FULL_BYTES = 256 * MIB
/** The database creates a few files at a time, but once none is left, it fails as on a full disk. */
const MIN_FREE_FILES = 1_000

/** Checks only the disk of the embedded database; the disk of another server cannot be seen from here. */
export async function findDiskProblems({ databaseUrl, dataDir }: Config): Promise<NewFinding[]> {
  if (databaseUrl !== undefined) return []
  const folder = path.resolve(dataDir)
  // It may be a link to another disk. Without it there is no database yet.
  const disk = await statfs(path.join(folder, 'postgres')).catch(() => undefined)
  return disk ? checkDisk(folder, disk) : []
}

type Disk = Pick<StatsFs, 'bsize' | 'bavail' | 'files' | 'ffree'>

/** Some file systems, such as btrfs, have no fixed number of files and report 0. */
export function checkDisk(folder: string, { bsize, bavail, files, ffree }: Disk): NewFinding[] {
  const found: NewFinding[] = []
  const freeBytes = bavail * bsize
  const parameters = { folder, megabytes: Math.floor(freeBytes / MIB) }
  if (freeBytes < FULL_BYTES) found.push({ code: 'disk_full', ...parameters })
  else if (freeBytes < LOW_BYTES) found.push({ code: 'disk_low', ...parameters })
  if (files > 0 && ffree < MIN_FREE_FILES) found.push({ code: 'disk_inodes', folder, inodes: ffree })
  return found
}
