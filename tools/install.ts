/**
 * Packages that only one command needs are not part of `npm ci`: the command installs them from a separate lock file.
 * They are 300 MB, and most people only want to start Doorcode.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')

/** Folders with their own package.json. Files below them find the packages as usual. */
const SETS = {
  check: { folder: 'tools/check', what: 'the linter, the formatter and what writes the types of the client' },
  postgres15: { folder: 'tools/postgres15', what: 'PostgreSQL 15' },
  bench: { folder: 'bench', what: 'the queues that the bench compares ours with' },
  browser: { folder: 'test', what: 'the browser of the tests' },
  examples: { folder: 'examples', what: 'what the tests of the examples need' },
  clients: { folder: 'packages/whatsapp-emulator/test/clients', what: 'the clients that test the emulator' },
} as const satisfies Record<string, { folder: string; what: string }>

export type ToolSet = keyof typeof SETS

/** Installs packages that do not match their lock files, which needs the npm registry. */
export async function ensureInstalled(...names: readonly ToolSet[]): Promise<void> {
  for (const name of names) {
    const folder = path.join(ROOT, SETS[name].folder)
    const stampFile = path.join(folder, 'node_modules/.doorcode-installed')
    const stamp = createHash('sha256')
      .update(await readFile(path.join(folder, 'package-lock.json')))
      .digest('hex')
    if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) continue
    console.log(`Installing ${SETS[name].what} into ${SETS[name].folder}/node_modules (only once) …`)
    await install(folder)
    await writeFile(stampFile, stamp)
  }
}

async function install(folder: string): Promise<void> {
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
  const [code] = (await once(npm, 'exit')) as [number | null]
  if (code === 0) return
  throw new Error(
    `"npm ci" failed in ${path.relative(ROOT, folder)}: it needs the npm registry once. Run it there again.`,
  )
}

/** Finds the programs of all installed packages. */
export const toolsPath = (): string =>
  [
    path.join(ROOT, 'node_modules/.bin'),
    path.join(ROOT, SETS.check.folder, 'node_modules/.bin'),
    process.env['PATH'],
  ].join(':')
