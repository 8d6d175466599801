/**
 * `npm run image`: builds the image of docs/deployment.md from the commit that is checked out, with buildah on a Debian root
 * made here, starts it read-only and as an ordinary user, sends a code through it, and writes the image and its SBOM to the folder `image`. Needs root on a
 * Debian, and no container engine. `--base <image>` builds on an image that buildah pulls.
 */
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { isInPath } from '../../test/programs/program.ts'
import { tryBehindCaddy } from './behind-caddy.ts'
import { type Target, openBuilder } from './build.ts'
import type { ImageConfig } from './container.ts'
import { copySbom } from './sbom.ts'
import { assertOnlyIncluded, isCheckout, openSource } from './source.ts'
import { type Trial, tryMistakes, tryProduction, tryWithOwnDatabase, tryWithVolume } from './trial.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Packages by the program that each contains. The run's other programs are part of every Debian. */
const PACKAGES = { buildah: 'buildah', mmdebstrap: 'mmdebstrap', nsenter: 'util-linux', unshare: 'util-linux' }
const ARCHITECTURES = { x64: 'linux/amd64', arm64: 'linux/arm64' } as const

const SUFFIXES = { complete: '', production: '-production' } as const satisfies Record<Target, string>
const TRIALS = {
  async complete(trial, source) {
    await tryWithOwnDatabase(trial)
    await tryWithVolume(trial)
    await tryMistakes(trial)
    if (isInPath('caddy')) await tryBehindCaddy({ ...trial, source })
    else skip('the Caddyfile of compose.yaml: install the Debian package caddy to try it.')
  },
  production: tryProduction,
} as const satisfies Record<Target, (trial: Trial, source: string) => Promise<void>>

const { values } = parseArgs({
  options: { base: { type: 'string' }, output: { type: 'string', default: 'image' } },
})
const obstacle = findObstacle()
if (obstacle === undefined) await main()
else {
  console.error(`npm run image cannot run here: ${obstacle}`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-image-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void opened.disposeAsync().finally(() => process.exit(1)))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must be able to enter it
  const output = path.resolve(ROOT, values.output)
  await mkdir(output, { recursive: true })

  const report = (line: string): void => console.log(`ok      ${line}`)
  const source = await openSource(ROOT, folder)
  console.log(`builds  ${source.text}`)
  const { version } = manifest
  const { buildah, build } = await openBuilder({ folder, source, base: values.base, version })

  for (const target of ['complete', 'production'] as const) {
    await using built = new AsyncDisposableStack()
    const startedAt = performance.now()
    const image = await build(target)
    report(`built the ${target} image from ${source.text}, in ${seconds(startedAt)} s`)
    const container = buildah('from', image)
    const root = buildah('mount', container)
    built.defer(async () => void buildah('rm', container))
    const { Docker } = JSON.parse(buildah('inspect', '--type=image', image)) as { Docker: { config: ImageConfig } }
    if (target === 'complete') report(await assertOnlyIncluded(root, source.folder))
    const name = `doorcode${SUFFIXES[target]}-${version}`
    report(await copySbom(root, path.join(output, `${name}.cdx.json`)))
    await TRIALS[target]({ root, config: Docker.config, folder, report }, source.folder)

    const file = path.join(output, `${name}-${process.arch}.tar`)
    await rm(file, { force: true })
    buildah('push', '--quiet', image, `docker-archive:${file}:doorcode${SUFFIXES[target]}:${version}`)
    report(`${file}: load it with "docker load -i" or "podman load -i"`)
  }
  for (const [arch, platform] of Object.entries(ARCHITECTURES))
    if (arch !== process.arch)
      console.log(
        `SKIPPED ${platform}: this machine is ${process.arch}. Run this command on a machine of that architecture.`,
      )
  if (source.revision === '')
    skip('a clean checkout: build from a clone to be sure that the files are those of a commit.')
  if (values.base === undefined)
    skip(`the default base ${await defaultBase()}: use "--base" on a machine that can reach its registry.`)
  skip('compose.yaml and the Kubernetes manifests as a whole: they need a container engine and a cluster.')
}

function skip(what: string): void {
  console.log(`SKIPPED ${what}`)
}

function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || !(process.arch in ARCHITECTURES))
    return `it needs Linux on x64 or arm64, and this is ${process.platform} on ${process.arch}.`
  if (process.getuid?.() !== 0) return 'it makes a root file system and mounts it, so it must run as root.'
  const needed = { ...PACKAGES, ...(isCheckout(ROOT) && { git: 'git' }) }
  const missing = Object.entries(needed).flatMap(([program, name]) => (isInPath(program) ? [] : [name]))
  if (missing.length === 0) return undefined
  const names = [...new Set(missing)].join(' ')
  return `these Debian packages are missing: ${names}. Install them with "apt-get install --no-install-recommends ${names}".`
}

async function defaultBase(): Promise<string> {
  return /^ARG BASE=(.*)$/m.exec(await readFile(path.join(ROOT, 'Containerfile'), 'utf8'))?.[1] ?? ''
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(0)
}
