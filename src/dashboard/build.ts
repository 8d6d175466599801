import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, glob, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** What the pages are made from. */
const SOURCES = [
  'dashboard/**/*.{ts,tsx,css,html,svg}',
  'emulator/phone/**/*.{ts,tsx,css,html,svg}',
  'src/cod/settings-changes.ts',
  'src/templates/{draft,languages,parameters}.ts',
  'package-lock.json',
]
const BUILT = path.join(ROOT, 'dashboard/dist')
const BUILD_MOST_MS = 120_000

export class DashboardNotBuilt extends Error {
  constructor(output: string) {
    super(`the dashboard could not be built: ${output}`)
    this.name = 'DashboardNotBuilt'
  }
}

/**
 * The folder with the built pages. They are built when they are missing or older than their sources, which takes a few
 * seconds once; a folder that cannot be written to is replaced by a temporary one. Throws DashboardNotBuilt.
 */
export async function builtDashboard(): Promise<string> {
  const stamp = await stampOfSources()
  const kept = path.join(BUILT, stamp)
  if (await exists(path.join(kept, 'index.html'))) return kept
  const target = await mkdir(BUILT, { recursive: true })
    .then(() => mkdtemp(path.join(BUILT, 'building-')))
    .catch(() => mkdtemp(path.join(tmpdir(), 'doorcode-dashboard-')))
  await build(target)
  if (!target.startsWith(BUILT)) return target
  // Whoever built it first wins; the others use theirs.
  await rename(target, kept).catch(() => rm(target, { recursive: true, force: true }))
  return kept
}

async function stampOfSources(): Promise<string> {
  const names = (await Array.fromAsync(glob(SOURCES, { cwd: ROOT, exclude: (name) => name.includes('dist') }))).sort()
  const hash = createHash('sha256')
  for (const name of names) hash.update(name).update(await readFile(path.join(ROOT, name)))
  return hash.digest('hex').slice(0, 16)
}

/** In a process of its own: what a bundler takes of memory goes with it. */
async function build(target: string): Promise<void> {
  const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js')
  const builder = spawn(process.execPath, [vite, 'build', '--logLevel', 'error', '--emptyOutDir', '--outDir', target], {
    cwd: path.join(ROOT, 'dashboard'),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_MOST_MS,
  })
  let output = ''
  builder.stdout.on('data', (text: Buffer) => (output += text.toString()))
  builder.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const [code] = (await once(builder, 'exit')) as [number | null]
  if (code !== 0) throw new DashboardNotBuilt(output.trim())
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
