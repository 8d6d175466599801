import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { NODE_MODULES, install, pack } from './packed.ts'

const run = promisify(execFile)

const PACKAGE = path.resolve(import.meta.dirname, '../../packages/whatsapp-emulator')

/** What the test of another project would do: a callback, one message, and the signature checked by hand. */
const DRIVE = `
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { DEMO, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'

const reported = []
const callback = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request))
  const expected = 'sha256=' + createHmac('sha256', DEMO.appSecret).update(body).digest('hex')
  const { statuses } = JSON.parse(body.toString()).entry[0].changes[0].value
  reported.push({ statuses: statuses.map(({ status }) => status), isSigned: request.headers['x-hub-signature-256'] === expected })
  response.end()
})
await new Promise((resolve) => callback.listen(0, '127.0.0.1', resolve))
const callbackUrl = 'http://127.0.0.1:' + callback.address().port
const emulator = await startEmulator({ speed: 0, data: 'data', accounts: [demoAccount({ callbackUrl })] })
const answer = await fetch(emulator.url + '/v25.0/' + DEMO.standardNumberId + '/messages', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + DEMO.accessToken, 'content-type': 'application/json' },
  body: JSON.stringify({
    messaging_product: 'whatsapp', to: '+34600111222', type: 'template',
    template: { name: 'order_confirmation', language: { code: 'en' }, components: [
      { type: 'body', parameters: ['Ana', 'A-1001', '25 EUR'].map((text) => ({ type: 'text', text })) }] },
  }),
})
const { text } = await emulator.waitForMessage({ to: '+34600111222' })
await emulator.idle()
const page = await fetch(emulator.url + '/phone/')
await emulator.close()
callback.close()
console.log(JSON.stringify({ status: answer.status, text, reported, page: [page.status, (await page.text()).includes('/phone/assets/')] }))
`

const TYPED = `
import { type Emulator, type Message, startEmulator } from '@doorcode/whatsapp-emulator'

const emulator: Emulator = await startEmulator({ speed: 0 })
const message: Message = await emulator.waitForMessage()
// @ts-expect-error: there is no such option
await startEmulator({ sped: 0 })
console.log(message.text satisfies string)
`

const root = await mkdtemp(path.join(os.tmpdir(), 'doorcode-package-'))
after(() => rm(root, { recursive: true, force: true }))
/** Packed and installed once, for all tests. */
let installed: Promise<string> | undefined
const project = (): Promise<string> => (installed ??= packed())

async function packed(): Promise<string> {
  const manifest = await readFile(path.join(PACKAGE, 'package.json'), 'utf8')
  const done = await pack(root, { name: 'whatsapp-emulator', needs: ['locales'] })
  const left = await readFile(path.join(done.copy, 'package.json'), 'utf8')
  assert.equal(left, manifest, 'packing leaves the sources as they were')
  return install(root, done, [path.join(NODE_MODULES, '@types/node')])
}

test('another project can install and use the packed emulator', async () => {
  const folder = await project()
  await writeFile(path.join(folder, 'drive.js'), DRIVE)
  const { stdout } = await run(process.execPath, ['drive.js'], { cwd: folder })
  const { status, text, reported, page } = JSON.parse(stdout) as {
    status: number
    text: string
    reported: { statuses: string[]; isSigned: boolean }[]
    page: [number, boolean]
  }
  assert.equal(status, 200)
  assert.match(text, /Hello Ana, please confirm your order A-1001/)
  assert.deepEqual(
    reported.flatMap(({ statuses }) => statuses),
    ['sent', 'delivered', 'read'],
  )
  assert.ok(reported.every(({ isSigned }) => isSigned))
  assert.deepEqual(page, [200, true])
})

test('the README’s example runs in an installing project', async () => {
  const folder = await project()
  const readme = await readFile(path.join(PACKAGE, 'README.md'), 'utf8')
  const [, example = ''] = /```js\n(.*?)\n```/s.exec(readme) ?? []
  await writeFile(path.join(folder, 'otp.test.mjs'), example)
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter', 'tap', 'otp.test.mjs'], {
    cwd: folder,
    env,
  })
  assert.match(stdout, /^ok 1 - a customer gets the code$/m)
})

test('the packed emulator includes its types', async () => {
  const folder = await project()
  await writeFile(path.join(folder, 'typed.ts'), TYPED)
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--types', 'node', 'typed.ts']
  await run(path.join(NODE_MODULES, '.bin/tsc'), flags, { cwd: folder })
})
