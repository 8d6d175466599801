import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { build } from 'vite'
import { apiDocument } from '../../docs/api-document.ts'
import { ensureInstalled, toolsPath } from '../../tools/install.ts'
import { NODE_MODULES, packedClient } from './packed.ts'
import { freePort, run as start } from './program.ts'
import { addEndpoint } from '../world/set-up.ts'
import { waitFor } from '../world/wait-for.ts'
import { startWorld } from '../world/world.ts'

const run = promisify(execFile)

const README = path.resolve(import.meta.dirname, '../../packages/client/README.md')

const client = await packedClient(path.join(NODE_MODULES, '@types/node'))
const project = async (): Promise<string> => (await client()).project

const blocksOf = (readme: string, language: string): string[] =>
  Array.from(readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 'gs')), ([, code = '']) => code)

/** Programs that run JavaScript. The older Node is the system's, where there is one. */
const RUNTIMES: readonly { name: string; words: readonly [string, ...string[]] }[] = [
  { name: 'the Node of the tests', words: [process.execPath] },
  { name: 'the Node of the system', words: ['/usr/bin/node'] },
  { name: 'Bun', words: ['bun', 'run'] },
  { name: 'Deno', words: ['deno', 'run', '--allow-all'] },
]

for (const { name, words } of RUNTIMES) {
  const isInstalled = spawnSync(words[0], ['--version']).status === 0
  const skip = !isInstalled && `${words[0]} is not installed`
  test(`on ${name} the README’s first program sends a code and verifies its webhook`, { skip }, async (t) => {
    const world = await startWorld(t)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const { secret } = await addEndpoint(world.parts, { workspaceId: world.workspaceId, url })
    const [example = ''] = blocksOf(await readFile(README, 'utf8'), 'js')
    await writeFile(path.join(await project(), 'send.mjs'), example.replace('8080', String(port)))
    const environment = {
      DOORCODE_URL: world.first.url,
      DOORCODE_API_KEY: await world.freshKey(),
      DOORCODE_WEBHOOK_SECRET: secret,
      SENDER_ID: world.senderId,
      NO_COLOR: '1',
    }
    const program = start(t, [...words, 'send.mjs'], environment, await project())
    await waitFor(
      () => `the message to be accepted, but it wrote ${program.stdout()}${program.stderr()}`,
      () => program.stdout().includes('accepted'),
    )
    const [messageId = ''] = /[0-9a-f-]{36}/.exec(program.stdout()) ?? []
    const forged = await fetch(url, { method: 'POST', body: '{}' })
    assert.equal(forged.status, 400)
    assert.match(await forged.text(), /webhook-id is missing/)
    await world.whatsapp.reports({ messageId }, ['sent'])
    await waitFor(
      () => `the webhook, but it wrote ${program.stdout()}${program.stderr()}`,
      () => program.stdout().includes('message.sent') && program.stdout().includes(messageId),
    )
  })
}

const GIVEN = `
import { createClient } from '@doorcode/client'
const doorcode = createClient({ url: 'https://doorcode.example', apiKey: '' })
declare const otp: import('@doorcode/client').Input<'sendOtpMessage'>
declare const login: { id: string }
declare const db: { findPosition(): Promise<string | undefined>; savePosition(id: string): Promise<void> }
declare function handle(event: import('@doorcode/client').WebhookEvent): Promise<void>
declare function log(...facts: unknown[]): void
declare function useAnotherChannel(): void
declare function tryLater(key: string | undefined): void
`

const TYPED = `
import { type ErrorCode, type RequestOptions, createClient, isDoorcodeError, verifyWebhook } from '@doorcode/client'

const client = createClient({ url: 'https://doorcode.example', apiKey: '' })
const template = { name: 'n', language: 'en' }
const { messageId } = await client.sendOtpMessage({ to: '', senderId: '', template, code: '1' }, { idempotencyKey: 'k' })
const { status } = await client.getOtpMessage({ messageId })
if (status === 'delivered' || status === 'a status of a later release') console.log(messageId satisfies string)
// @ts-expect-error: the code is required
await client.sendOtpMessage({ to: '', senderId: '', template })
// @ts-expect-error: there is no such field
await client.sendOtpMessage({ to: '', senderId: '', template, code: '1', otp: '1' })
// @ts-expect-error: reading needs no key
await client.getOtpMessage({ messageId }, { idempotencyKey: 'k' })
await client.listEvents()
await client.getConfirmation({ confirmationId: 'c' }).catch((error: unknown) => {
  if (!isDoorcodeError(error, 'getConfirmation')) throw error
  if (error.code === 'COD_CONFIRMATION_NOT_FOUND' || error.code === 'A_CODE_OF_A_LATER_RELEASE') return undefined
  throw error
})
type Known<Code> = Code extends string ? (string extends Code ? never : Code) : never
export const known: Known<ErrorCode<'getConfirmation'>> = 'COD_CONFIRMATION_NOT_FOUND'
// @ts-expect-error: this call has no such code
export const foreign: typeof known = 'OTP_QUOTA_EXCEEDED'
const event = verifyWebhook('', new Headers(), '')
if (event.type === 'cod.reschedule_requested') console.log(event.data.reschedule?.date satisfies string | null | undefined)
else if (event.type === 'ping') console.log(event.data.endpointId)
else console.log(event.id, event.data.occurredAt)
export type Options = RequestOptions<'createConfirmation'>
`

const TSC = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']

test('the packed client type-checks under --strict, with the types of Node or of a browser, and so does its README', async () => {
  const folder = await project()
  // better-auth's own test has its block
  const blocks = blocksOf(await readFile(README, 'utf8'), 'ts').filter((block) => !block.includes('better-auth'))
  const [errors = '', events = ''] = blocks
  const imports = /^import .*$/gm
  const body = `${errors}\n`.replaceAll(imports, '')
  await writeFile(path.join(folder, 'typed.ts'), TYPED)
  await writeFile(
    path.join(folder, 'readme.ts'),
    `${errors.match(imports)?.join('\n')}\n${GIVEN}\nexport async function example() {\n${body}\n${events}\n}`,
  )
  const tsc = (...flags: string[]) =>
    run(path.join(NODE_MODULES, '.bin/tsc'), [...TSC, ...flags, 'typed.ts', 'readme.ts'], { cwd: folder }).catch(
      ({ stdout }: { stdout: string }) => assert.fail(stdout),
    )
  await tsc('--exactOptionalPropertyTypes', '--types', 'node', '--skipLibCheck')
  await tsc('--lib', 'es2022,dom,dom.iterable', '--types', '')
})

/** What every edge runtime has. */
const WEB = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  crypto,
  fetch,
  setTimeout,
}

test('the packed client sends a code and verifies its webhook where there are only Web APIs', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const folder = await project()
  await writeFile(path.join(folder, 'edge.js'), `export * from '@doorcode/client'`)
  const bundles = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib: { entry: 'edge.js', formats: ['iife'], name: 'doorcode', fileName: 'edge' } },
  })
  const [{ output } = { output: [] }] = Array.isArray(bundles) ? bundles : []
  const [chunk] = output
  assert.ok(chunk?.type === 'chunk')
  const given = { options: { url: world.first.url, apiKey: await world.freshKey() }, otp: world.otpBody() }
  const context = vm.createContext({ ...WEB, given })
  vm.runInContext(chunk.code, context)
  const sent = (await vm.runInContext('doorcode.createClient(given.options).sendOtpMessage(given.otp)', context)) as {
    messageId: string
  }
  await world.whatsapp.reports(sent, ['sent'])
  await receiver.waitFor(1)
  const [received] = receiver.received
  assert.ok(received)
  Object.assign(given, { body: received.body, headers: received.headers, secret: receiver.secret })
  const type = (await vm.runInContext(
    `(async () => {
      const headers = Object.entries(given.headers).map(([name, value]) => [name, String(value)])
      const request = new Request('https://shop.example', { method: 'POST', body: given.body, headers })
      return doorcode.verifyWebhook(await request.text(), request.headers, given.secret).type
    })()`,
    context,
  )) as string
  assert.equal(type, 'message.sent')
})

type Fault = Error & { stdout: string }

test('publint and attw find no fault in the packed client', async () => {
  await ensureInstalled('check')
  const { project: folder, tarball } = await client()
  const check = (program: string, ...args: string[]) =>
    run(program, args, { cwd: folder, env: { ...process.env, PATH: toolsPath() } }).catch((fault: Fault) =>
      assert.fail(fault.stdout || fault.message),
    )
  await check('publint', tarball, '--strict')
  await check('attw', tarball, '--profile', 'esm-only') // Node 20 and later load it with require() too
})

test('npm run docs has written the types of the client', async () => {
  await ensureInstalled('check')
  const { CLIENT_TYPES, clientTypes } = await import('../../tools/check/client-types.ts')
  assert.equal(await readFile(CLIENT_TYPES, 'utf8'), await clientTypes(apiDocument()))
})
