import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'

export type Source = {
  folder: string
  /** Empty outside a git checkout. */
  revision: string
  /** Describes the source in the output. */
  text: string
}

export const isCheckout = (root: string): boolean => existsSync(path.join(root, '.git'))

/** The files of the commit that is checked out, and nothing else that is in the folder. Outside git, the folder itself. */
export async function openSource(root: string, into: string): Promise<Source> {
  if (!isCheckout(root)) {
    const text = 'the files of this folder as they are, because it is not a git checkout'
    return { folder: root, revision: '', text }
  }
  // Without safe.directory, git rejects root's access to a checkout of another user.
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', `safe.directory=${root}`, ...args], { cwd: root, encoding: 'utf8' }).trim()
  const revision = git('rev-parse', 'HEAD')
  const folder = path.join(into, 'source')
  const tar = path.join(into, 'source.tar')
  git('archive', '--format=tar', `--output=${tar}`, revision)
  await mkdir(folder)
  execFileSync('tar', ['--extract', '--no-same-owner', `--file=${tar}`, `--directory=${folder}`])
  const isClean = git('status', '--porcelain') === ''
  const text = `commit ${revision}${isClean ? '' : ', without what is not committed in this folder'}`
  return { folder, revision, text }
}

/** What the Containerfile adds. */
const MADE = ['node_modules', 'sbom.cdx.json']

/** Engines build from folders that contain `.doorcode` and `.git`, which only .dockerignore excludes. */
export async function assertOnlyIncluded(root: string, source: string): Promise<string> {
  const lines = (await readFile(path.join(source, '.dockerignore'), 'utf8')).split('\n')
  const included = lines.flatMap((line) => /^!([^/]+)/.exec(line)?.[1] ?? [])
  const shipped = await readdir(path.join(root, 'opt/doorcode'))
  assert.deepEqual(shipped.toSorted(), [...new Set([...included, ...MADE])].toSorted())
  return 'contains only what .dockerignore admits and what the Containerfile adds'
}
