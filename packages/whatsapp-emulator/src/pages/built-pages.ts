import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, glob, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

export type Pages = {
  from: string
  root: string
  sources: readonly string[]
  /** Where builds are kept, each under the hash of its sources. */
  keptIn: string
}

const BUILD_TIMEOUT_MS = 120_000
/** `native`: bundling the configuration would write into node_modules, which may belong to another user. */
const BUILD_OPTIONS = ['--configLoader', 'native', '--logLevel', 'error', '--emptyOutDir']
/** Until then a server of an earlier version may serve its build. */
const OLD_AFTER_MS = 7 * 24 * 3_600_000

class PagesNotBuilt extends Error {
  constructor(output: string) {
    super(`the pages could not be built: ${output}`)
    this.name = 'PagesNotBuilt'
  }
}

/**
 * The folder with the built pages. Builds them once per version of the sources, which takes a few seconds; uses a temporary
 * folder if `keptIn` is not writable. Throws PagesNotBuilt.
 */
export async function builtPages(pages: Pages): Promise<string> {
  const kept = path.join(pages.keptIn, await stampOf(pages))
  if (existsSync(path.join(kept, 'index.html'))) return kept
  const target = await mkdir(pages.keptIn, { recursive: true })
    .then(() => mkdtemp(path.join(pages.keptIn, 'building-')))
    .catch(() => mkdtemp(path.join(os.tmpdir(), 'doorcode-pages-')))
  await build(pages.from, target)
  if (!target.startsWith(pages.keptIn)) return target
  await chmod(target, 0o755) // mkdtemp made it private, and another user may serve it
  // The first build wins; the others are removed.
  await rename(target, kept).catch(() => rm(target, { recursive: true, force: true }))
  await removeOld(pages.keptIn, kept)
  return kept
}

async function stampOf(pages: Pages): Promise<string> {
  const hash = createHash('sha256')
  for (const name of await sourcesOf(pages)) hash.update(name).update(await readFile(path.join(pages.root, name)))
  return hash.digest('hex').slice(0, 16)
}

/** The files whose change requires a new build. */
export async function sourcesOf({ root, sources }: Pick<Pages, 'root' | 'sources'>): Promise<string[]> {
  const found = glob([...sources], { cwd: root, exclude: (name) => path.basename(name) === 'dist' })
  return (await Array.fromAsync(found)).sort()
}

/**
 * In a separate process, which frees the bundler's memory, below the priority of what is being served. It is in its own
 * session, so that Ctrl-C does not look like a failed build, and ends with this process.
 */
async function build(from: string, target: string): Promise<void> {
  const vite = path.join(path.dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js')
  const building = spawn(process.execPath, [vite, 'build', ...BUILD_OPTIONS, '--outDir', target], {
    cwd: from,
    timeout: BUILD_TIMEOUT_MS,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): boolean => building.kill()
  process.once('exit', kill)
  lowerPriority(building.pid)
  let output = ''
  for (const stream of [building.stdout, building.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  building.once('error', ({ message }) => (output += message)) // "close" follows
  const [code] = (await once(building, 'close')) as [number | null]
  process.off('exit', kill)
  if (code !== 0) throw new PagesNotBuilt(output.trim())
  for await (const name of glob('**/*.{html,js,css,svg}', { cwd: target })) {
    const file = path.join(target, name)
    await writeFile(`${file}.gz`, gzipSync(await readFile(file)))
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it has just ended
  }
}

/** Including the remains of interrupted builds. */
async function removeOld(keptIn: string, kept: string): Promise<void> {
  for (const name of await readdir(keptIn)) {
    const folder = path.join(keptIn, name)
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (folder !== kept && Date.now() - mtimeMs > OLD_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
}
