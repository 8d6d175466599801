import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../lib/config.ts'
import type { NewFinding } from './finding.ts'

const MIB = 1024 * 1024
const LOW_BYTES = 2_048 * MIB
const FULL_BYTES = 256 * MIB

/** Checks only the disk of the embedded database; the disk of another server cannot be seen from here. */
export async function findDiskProblems({ databaseUrl, dataDir }: Config): Promise<NewFinding[]> {
  if (databaseUrl !== undefined) return []
  const folder = path.resolve(dataDir)
  // It may be a link to another disk. Without it there is no database yet.
  const disk = await statfs(path.join(folder, 'postgres')).catch(() => undefined)
  return disk ? checkDisk(folder, disk.bavail * disk.bsize) : []
}

export function checkDisk(folder: string, freeBytes: number): NewFinding[] {
  if (freeBytes >= LOW_BYTES) return []
  const parameters = { folder, megabytes: Math.floor(freeBytes / MIB) }
  return [freeBytes < FULL_BYTES ? { code: 'disk_full', ...parameters } : { code: 'disk_low', ...parameters }]
}
