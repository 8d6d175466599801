/** Fails if `npm ci` installs more than a newcomer should wait for. The test cache is not part of it. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const MAX_MB = 600

const folder = path.resolve(import.meta.dirname, '../node_modules')
const cache = path.join(folder, '.cache')
const sizeOf = (name: string): number => Number.parseInt(execFileSync('du', ['-sm', name], { encoding: 'utf8' }))
const megabytes = sizeOf(folder) - (existsSync(cache) ? sizeOf(cache) : 0)
console.log(`node_modules has ${megabytes} MB of at most ${MAX_MB}`)
if (megabytes > MAX_MB) {
  console.log(
    'Run "npm ci" to remove what is no longer needed. Move what only one command needs to a folder of tools/install.ts.',
  )
  process.exitCode = 1
}
