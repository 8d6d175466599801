import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
const INSTALLS_WITHIN_MS = 5 * 60_000

const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: ROOT })).stdout.trim()

/** The last tag, or before the first one the last commit that changed a migration. */
export async function findPreviousRelease(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => '')
  const commit = tag || (await git('log', '-1', '--format=%h', '--', 'migrations'))
  if (commit === '') throw new Error('no previous release was found: name its commit with --from')
  return commit
}

/** Unpacks the files of the commit into a temporary folder, and installs the npm packages of that release there. */
export async function unpackRelease(commit: string): Promise<AsyncDisposable & { root: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'doorcode-release-'))
  const archive = path.join(root, 'release.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT, maxBuffer: MAX_ARCHIVE_BYTES })
  await run('tar', ['--extract', '--file', archive, '--directory', root])
  await rm(archive)
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, timeout: INSTALLS_WITHIN_MS })
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}
