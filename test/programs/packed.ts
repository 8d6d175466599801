import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = path.resolve(import.meta.dirname, '../..')
export const NODE_MODULES = path.join(ROOT, 'node_modules')

type Package = {
  /** A folder of packages/. */
  name: string
  /** Folders of the repository that its build reads. */
  needs?: readonly string[]
}

/** Packs a copy in the folder, since packing changes the package for a moment while other tests import it. */
export async function pack(folder: string, { name, needs = [] }: Package) {
  const repository = path.join(folder, 'repository')
  const source = path.join(ROOT, 'packages', name)
  const copy = path.join(repository, 'packages', name)
  const isSource = (file: string): boolean => !['dist', 'test'].includes(path.relative(source, file))
  await cp(source, copy, { recursive: true, filter: isSource })
  for (const needed of ['tsconfig.json', ...needs])
    await cp(path.join(ROOT, needed), path.join(repository, needed), { recursive: true })
  await symlink(NODE_MODULES, path.join(repository, 'node_modules'))
  await npm(folder, copy, 'pack', '--pack-destination', folder)
  const tarball = (await readdir(folder)).find((each) => each.endsWith('.tgz')) ?? ''
  return { copy, tarball: path.join(folder, tarball) }
}

/**
 * Installs into an empty folder. The tarball is installed as from a registry; its dependencies, and what the project needs besides, are
 * linked to this repository's copies, so that the test needs no network and no warm cache.
 */
export async function install(
  folder: string,
  { tarball, copy }: { tarball: string; copy: string },
  more: readonly string[],
) {
  const project = path.join(folder, 'project')
  await mkdir(project)
  await writeFile(path.join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }')
  const { dependencies } = JSON.parse(await readFile(path.join(copy, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const linked = [...Object.keys(dependencies).map((name) => path.join(NODE_MODULES, name)), ...more]
  await npm(folder, project, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...linked)
  return project
}

/** Packs the client and installs it on the first call, for all tests of a file. `more`: as for `install`. */
export async function packedClient(...more: readonly string[]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-client-'))
  after(() => rm(folder, { recursive: true, force: true }))
  let installed: Promise<{ project: string; tarball: string }> | undefined
  const prepare = async () => {
    const packed = await pack(folder, { name: 'client' })
    return { project: await install(folder, packed, more), tarball: packed.tarball }
  }
  return () => (installed ??= prepare())
}

const npm = (folder: string, cwd: string, ...args: string[]) =>
  run('npm', args, {
    cwd,
    env: { ...process.env, npm_config_install_links: 'false', npm_config_cache: path.join(folder, 'empty-cache') },
  })
