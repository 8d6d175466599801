import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, glob, mkdir, mkdtemp, readFile, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export type Pages = {
  /** The folder with the configuration of Vite. */
  from: string
  /** What they are made from: patterns below `root`. */
  root: string
  sources: readonly string[]
  /** Where builds are kept, each under the hash of its sources. */
  keptIn: string
}

const BUILD_MOST_MS = 120_000
/** The configuration is read as it is: bundling it first writes into node_modules, which may be somebody else's. */
const BUILD_OPTIONS = ['--configLoader', 'native', '--logLevel', 'error', '--emptyOutDir']
/** A build of other sources may belong to a server that starts just now. */
const OLD_AFTER_MS = 3_600_000

export class PagesNotBuilt extends Error {
  constructor(output: string) {
    super(`the pages could not be built: ${output}`)
    this.name = 'PagesNotBuilt'
  }
}

/**
 * The folder with the built pages. They are built when there are none of these very sources, which takes a few seconds
 * once; where that folder cannot be written to, a temporary one serves. Throws PagesNotBuilt.
 */
export async function builtPages(pages: Pages): Promise<string> {
  const kept = path.join(pages.keptIn, await stampOf(pages))
  if (await exists(path.join(kept, 'index.html'))) return kept
  const target = await mkdir(pages.keptIn, { recursive: true })
    .then(() => mkdtemp(path.join(pages.keptIn, 'building-')))
    .catch(() => mkdtemp(path.join(tmpdir(), 'doorcode-pages-')))
  await build(pages.from, target)
  if (!target.startsWith(pages.keptIn)) return target
  // Whoever built it first wins; the others use theirs.
  await rename(target, kept).catch(() => rm(target, { recursive: true, force: true }))
  await removeOld(pages.keptIn, kept)
  return kept
}

async function stampOf(pages: Pages): Promise<string> {
  const hash = createHash('sha256')
  for (const name of await sourcesOf(pages)) hash.update(name).update(await readFile(path.join(pages.root, name)))
  return hash.digest('hex').slice(0, 16)
}

/** The names of the files whose change has the pages built anew. */
export async function sourcesOf({ root, sources }: Pick<Pages, 'root' | 'sources'>): Promise<string[]> {
  const found = glob([...sources], { cwd: root, exclude: (name) => path.basename(name) === 'dist' })
  return (await Array.fromAsync(found)).sort()
}

/** In a process of its own: what a bundler takes of memory goes with it. */
async function build(from: string, target: string): Promise<void> {
  const vite = path.join(path.dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js')
  const builder = spawn(process.execPath, [vite, 'build', ...BUILD_OPTIONS, '--outDir', target], {
    cwd: from,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_MOST_MS,
  })
  let output = ''
  builder.stdout.on('data', (text: Buffer) => (output += text.toString()))
  builder.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const [code] = (await once(builder, 'exit')) as [number | null]
  if (code !== 0) throw new PagesNotBuilt(output.trim())
}

/** Also what a build that was cut off has left. */
async function removeOld(keptIn: string, kept: string): Promise<void> {
  for (const name of await readdir(keptIn)) {
    const folder = path.join(keptIn, name)
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }))
    if (folder !== kept && Date.now() - mtimeMs > OLD_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
