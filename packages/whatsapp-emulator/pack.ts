/**
 * What `npm pack` and `npm publish` run. Node strips no types below node_modules, so the package is published as
 * JavaScript: `build` makes `dist/` and puts the published entry points into package.json, `restore` takes them out again.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { emulatorPages } from './src/control/pages.ts'
import { builtPages } from './src/pages/built-pages.ts'

const FOLDER = import.meta.dirname
const MANIFEST = path.join(FOLDER, 'package.json')
/** The manifest of the sources, while the published one takes its place. */
const SOURCE_MANIFEST = path.join(FOLDER, 'package.json.source')
const DIST = path.join(FOLDER, 'dist')
const COMPILE_TIMEOUT_MS = 120_000

/** node:sqlite is stable and Node strips nothing here; the tests run on a newer one. */
const PUBLISHED = {
  engines: { node: '>=24' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  bin: { 'whatsapp-emulator': './dist/main.js' },
}

const COMMANDS: Readonly<Record<string, () => void | Promise<void>>> = { build, restore }
const command = COMMANDS[process.argv[2] ?? '']
if (command === undefined) throw new Error('node pack.ts build, or node pack.ts restore')
await command()

async function build(): Promise<void> {
  restore() // an earlier build may have been interrupted
  rmSync(DIST, { recursive: true, force: true })
  compile()
  cpSync(await builtPages(emulatorPages), path.join(DIST, 'page'), { recursive: true })
  copyFileSync(MANIFEST, SOURCE_MANIFEST)
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as object
  const published = { ...manifest, scripts: undefined, devDependencies: undefined, ...PUBLISHED }
  writeFileSync(MANIFEST, `${JSON.stringify(published, undefined, 2)}\n`)
}

function restore(): void {
  if (existsSync(SOURCE_MANIFEST)) renameSync(SOURCE_MANIFEST, MANIFEST)
}

/** npm puts the programs of node_modules into the path. */
function compile(): void {
  const { status, error } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
    timeout: COMPILE_TIMEOUT_MS,
  })
  if (status !== 0) throw error ?? new Error(`tsc ended with ${status}`)
}
