import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Source } from './source.ts'

const BASE = 'localhost/doorcode-base'
/** The stable release; the machine's own may be older. */
const DEBIAN = 'trixie'
const NPM_IN_BASE = '/usr/local/lib/node_modules/npm'
/** Each takes at most a minute or two on two cores. */
const STEP_TIMEOUT_MS = 15 * 60_000

/** The stages of the Containerfile that are images. */
export type Target = 'complete' | 'production'

type BuildOptions = {
  /** Where this run keeps its files. */
  folder: string
  source: Source
  /** An image to build on instead of a Debian root of mmdebstrap. */
  base: string | undefined
  version: string
}

/** Builds the Containerfile with buildah as root, without a container engine and without a registry. */
export async function openBuilder({ folder, source, base, version }: BuildOptions) {
  // vfs copies each layer, but needs no kernel module and leaves no mount behind.
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    path.join(folder, 'images'),
    '--runroot',
    path.join(folder, 'run'),
  ]
  /** `buildah` with the storage of this run. */
  const buildah = (...args: readonly string[]): string =>
    execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', timeout: STEP_TIMEOUT_MS }).trim()
  if (base === undefined) await makeBase(folder, buildah)
  const volumes = await npmVolumes(folder)
  /** Resolves with the image's name. */
  const build = async (target: Target): Promise<string> => {
    const image = `localhost/doorcode-${target}:${version}`
    await run('buildah', [
      ...storage,
      'bud',
      '--isolation=chroot',
      '--format=docker', // the format of OCI has no health check
      '--layers', // the targets share their first stages
      ...volumes,
      `--target=${target}`,
      `--build-arg=BASE=${base ?? BASE}`,
      `--build-arg=VERSION=${version}`,
      `--build-arg=REVISION=${source.revision}`,
      `--file=${path.join(source.folder, 'Containerfile')}`,
      `--tag=${image}`,
      source.folder,
    ])
    return image
  }
  return { buildah, build }
}

/** Like the official image of Node: a small Debian, with Node and npm in /usr/local. */
async function makeBase(folder: string, buildah: (...args: readonly string[]) => string): Promise<void> {
  const tar = path.join(folder, 'debian.tar')
  const mirrors = [
    `deb http://deb.debian.org/debian ${DEBIAN} main`,
    `deb http://deb.debian.org/debian ${DEBIAN}-updates main`,
    `deb http://deb.debian.org/debian-security ${DEBIAN}-security main`,
  ]
  await run('mmdebstrap', ['--quiet', '--variant=minbase', '--include=libatomic1', DEBIAN, tar, ...mirrors]) // libatomic1: for Node
  const container = buildah('from', '--name', 'base', 'scratch')
  buildah('add', container, tar, '/')
  const root = buildah('mount', container)
  const bin = path.join(root, 'usr/local/bin')
  await copyFile(process.execPath, path.join(bin, 'node'))
  await chmod(path.join(bin, 'node'), 0o755)
  await mkdir(path.join(root, path.dirname(NPM_IN_BASE)), { recursive: true })
  await cp(npmFolder(), path.join(root, NPM_IN_BASE), { recursive: true })
  await writeFile(path.join(bin, 'npm'), `#!/bin/sh\nexec node ${NPM_IN_BASE}/bin/npm-cli.js "$@"\n`, { mode: 0o755 })
  buildah('umount', container)
  buildah('commit', '--rm', container, BASE)
}

/** The folder of the npm in PATH. */
function npmFolder(): string {
  const cli = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  return path.resolve(path.dirname(realpathSync(cli)), '..')
}

/** npm in the build uses this machine's registry, cache and certificates. None of them is part of the image. */
async function npmVolumes(folder: string): Promise<string[]> {
  const setting = (name: string): string => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  const npmrc = path.join(folder, 'npmrc')
  const lines = [
    `registry=${setting('registry')}`,
    'prefer-offline=true',
    ...(certificates ? ['cafile=/etc/npm-ca.crt'] : []),
  ]
  await writeFile(npmrc, `${lines.join('\n')}\n`)
  return [
    `--volume=${npmrc}:/root/.npmrc:ro`,
    `--volume=${setting('cache')}:/root/.npm`,
    ...(certificates ? [`--volume=${certificates}:/etc/npm-ca.crt:ro`] : []),
  ]
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: STEP_TIMEOUT_MS })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`"${command}" ended with ${code ?? 'a signal'}`)
}
