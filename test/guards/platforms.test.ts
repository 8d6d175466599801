import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { PLATFORMS } from '../../src/runtime/start/embedded-postgres/binaries.ts'

type Machine = { version: string; platform: string; arch: string }

const ROOT = path.resolve(import.meta.dirname, '../..')

/** The file is plain JavaScript without types, so it runs in a separate process. */
function explain(machine: Machine): string {
  const script = `import { explainWrongNode } from './bin/wrong-node.js'
    process.stdout.write(explainWrongNode(${JSON.stringify(machine)}) ?? 'fine')`
  const options = { cwd: ROOT, encoding: 'utf8' } as const
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], options)
}

test('an old Node prints what to do on this machine, for platforms with packages', () => {
  const packages = Object.keys(manifest.optionalDependencies)
  const platforms = packages.flatMap((name) => /^@embedded-postgres\/(.*)$/.exec(name)?.[1] ?? [])
  assert.deepEqual([...PLATFORMS].sort(), platforms.sort())
  for (const each of platforms) {
    const [platform = '', arch = ''] = each.split('-')
    assert.match(explain({ version: '20.1.0', platform, arch }), /^Doorcode needs Node 26, .*\n.*"npm ci" again/s)
  }
  const onWindows = explain({ version: '22.1.0', platform: 'win32', arch: 'x64' })
  assert.match(onWindows, /but not on win32-x64\.\nUse one of these, such as Linux in WSL, or/)
  assert.match(explain({ version: '22.1.0', platform: 'darwin', arch: 'x64' }), /but not on darwin-x64\.\nUse one/)
  assert.equal(explain({ version: '26.0.0', platform: 'win32', arch: 'x64' }), 'fine')
})

test('a second command reads all its TypeScript from the compile cache', () => {
  const env = { PATH: process.env['PATH'], NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const maxBuffer = 16 * 1024 * 1024
  const run = () => {
    const options = { cwd: ROOT, env, encoding: 'utf8', maxBuffer } as const
    const { status, stderr } = spawnSync(process.execPath, ['bin/doorcode.js', '--version'], options)
    assert.equal(status, 0)
    return stderr.split('\n').filter((line) => line.includes('StrippedTypeScript'))
  }
  run()
  const lines = run()
  assert.ok(lines.some((line) => line.includes('src/cli.ts')))
  assert.deepEqual(
    lines.filter((line) => /no transpile cache|mismatch/.test(line)),
    [],
  )
})

test('npm, systemd and the benchmarks start Node with the flags of the command line', async () => {
  const flagsOf = async (file: string) => (await readFile(path.join(ROOT, file), 'utf8')).match(/--max-[a-z-]+=\d+/g)
  const flags = await flagsOf('bin/doorcode.js')
  assert.equal(flags?.length, 1)
  for (const file of ['package.json', 'deploy/systemd/doorcode.service', 'bench/server-process.ts'])
    assert.deepEqual([...new Set(await flagsOf(file))], flags, file)
})
