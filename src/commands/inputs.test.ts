import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { UsageError, parse } from './line/parse.ts'
import { groups } from './table.ts'
import { temporaryFolder } from '../../test/world/temporary-folder.ts'

const ACCOUNT = 'account connect --workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --waba-id 1'.split(' ')

/** What `account connect` would use. */
async function secretsOf(more: readonly string[], environment: Record<string, string> = {}): Promise<unknown[]> {
  const parsed = await parse([...ACCOUNT, ...more], groups, { environment })
  assert.ok('values' in parsed)
  const { accessToken, appSecret, verifyToken } = parsed.values
  return [accessToken, appSecret, verifyToken]
}

const faultsOf = (more: readonly string[], environment: Record<string, string> = {}): Promise<readonly string[]> =>
  secretsOf(more, environment).then(
    () => assert.fail('nothing was rejected'),
    (error: unknown) => (error instanceof UsageError ? error.faults : Promise.reject(error as Error)),
  )

async function fileMaker(t: TestContext): Promise<(name: string, text: string) => Promise<string>> {
  const folder = await temporaryFolder(t)
  return async (name, text) => {
    await writeFile(path.join(folder, name), text)
    return path.join(folder, name)
  }
}

const VARIABLES = { WHATSAPP_ACCESS_TOKEN: 'EAAG1', WHATSAPP_APP_SECRET: '1a2b', WHATSAPP_VERIFY_TOKEN: 'word' }
const ARGUMENTS = ['--access-token', 'EAAG2', '--app-secret', '3c4d', '--verify-token', 'other']

test('each secret of an account comes from a file, a variable or an argument, without its line end', async (t) => {
  const file = await fileMaker(t)
  const files = [
    '--access-token-file',
    await file('token', 'EAAG3\n'),
    '--app-secret-file',
    await file('secret', '5e6f\r\n'),
    '--verify-token-file',
    await file('verify', 'third'),
  ]
  assert.deepEqual(await secretsOf(files, VARIABLES), ['EAAG3', '5e6f', 'third'])
  assert.deepEqual(await secretsOf([], VARIABLES), ['EAAG1', '1a2b', 'word'])
  assert.deepEqual(await secretsOf(ARGUMENTS, VARIABLES), ['EAAG2', '3c4d', 'other'])
  assert.deepEqual(await secretsOf(files.slice(0, 2), VARIABLES), ['EAAG3', '1a2b', 'word'])
})

test('a secret that is missing, empty, too long or given twice is rejected, and never quoted', async (t) => {
  const file = await fileMaker(t)
  assert.deepEqual(await faultsOf([], { WHATSAPP_APP_SECRET: ' ' }), [
    '--access-token-file is missing',
    '--app-secret-file is missing',
    '--verify-token-file is missing',
  ])
  const withFile = (name: string) => faultsOf(['--access-token-file', name], VARIABLES)
  assert.deepEqual(await withFile('/missing/EAAG'), [
    '--access-token-file cannot be read: ENOENT: no such file or directory',
  ])
  assert.deepEqual(await withFile(os.tmpdir()), [
    '--access-token-file cannot be read: EISDIR: illegal operation on a directory, read',
  ])
  assert.deepEqual(await withFile(await file('empty', '\n')), ['--access-token-file must not be empty'])
  for (const text of ['EAAG\nsecond\n', 'x'.repeat(5_000)])
    assert.deepEqual(await withFile(await file('wrong', text)), [
      '--access-token-file must contain one line of at most 4096 characters',
    ])
  const name = await file('token', 'EAAG\n')
  assert.deepEqual(await faultsOf([...ARGUMENTS, '--access-token-file', name]), [
    '--access-token and --access-token-file were both given: use only one of them',
  ])
  assert.deepEqual(await faultsOf(['--access-token-file', name, '--access-token-file', name], VARIABLES), [
    '--access-token-file was given twice',
  ])
  assert.deepEqual(await faultsOf(['--access-token-file', '-', '--verify-token-file', '-'], VARIABLES), [
    '--access-token-file and --verify-token-file cannot both read standard input',
  ])
})

test('"-" reads a secret from standard input', () => {
  const words = [path.resolve('bin/doorcode.js'), ...ACCOUNT, '--access-token-file', '-']
  const run = (input: string) =>
    spawnSync(process.execPath, words, { input, encoding: 'utf8', env: { PATH: process.env['PATH'] } }).stderr
  assert.match(run('EAAG\n'), /^doorcode: --app-secret-file is missing\ndoorcode: --verify-token-file is missing\n/)
  assert.match(run('\n'), /^doorcode: --access-token-file must not be empty\n/)
})

const HOOK = 'hook create --workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --kind generic --name shop'.split(' ')
const SENDS = '--sender 01a1fa06-709a-73f6-8b1e-b48524035680 --templates login_code:en_US'.split(' ')

test('a hook that would find no number, because its pointer is no JSON Pointer, is not created', async () => {
  const withPointer = (text: string) => parse([...HOOK, ...SENDS, '--phone-pointer', text], groups, { environment: {} })
  for (const text of ['phoneNumber', '/a/~2', `/${'x'.repeat(200)}`])
    await assert.rejects(
      withPointer(text),
      /^UsageError: --phone-pointer must be a JSON Pointer, such as \/user\/phone$/,
    )
  assert.ok('values' in (await withPointer('/phoneNumber')))
})
