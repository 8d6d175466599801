import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** The PATH of root may lack the folders of servers. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/bin']

/** Undefined: it is not installed. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':').filter(Boolean), ...MORE_FOLDERS]
    .map((folder) => path.join(folder, name))
    .find(canRun)

export const isInPath = (name: string): boolean => findProgram(name) !== undefined

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
