import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { signIn } from '../../test/world/dashboard.ts'
import { listen } from '../../test/world/listen.ts'
import { newPhone, startWorld } from '../../test/world/world.ts'
import { curlOf, requestExamples } from './request.ts'

const run = promisify(execFile)

const works = ([program, ...args]: readonly [string, ...string[]]): boolean => spawnSync(program, args).status === 0

const PROGRAMS = {
  curl: { program: 'sh', option: '-c', needs: ['curl', '--version'] },
  'Node.js': { program: process.execPath, option: '--eval', needs: [process.execPath, '--version'] },
  PHP: { program: 'php', option: '-r', needs: ['php', '-r', 'curl_version();'] },
  Python: { program: 'python3', option: '-c', needs: ['python3', '--version'] },
} as const

test('the example in each installed language sends a code', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, senderId } = world
  const { apiKey } = await (await signIn(world, 'admin')).calls.keys.create.mutate({ workspaceId, name: 'examples' })
  const { template } = world.otpBody()
  for (const [name, { program, option, needs }] of Object.entries(PROGRAMS)) {
    if (!works(needs)) continue
    for (const isInEnvironment of [true, false]) {
      const to = newPhone()
      const body = { to, senderId, template, code: '493817', reference: `l'"été" \\ $HOME` }
      const url = `${world.first.url}/api/v1/otp/messages`
      const examples = requestExamples({ url, body, apiKey: isInEnvironment ? undefined : apiKey })
      const code = examples[name as keyof typeof examples].replace('<?php', '')
      const env = { ...process.env, DOORCODE_API_KEY: isInEnvironment ? apiKey : '' }
      const { stdout } = await run(program, [option, code], { env })
      const messageId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout)?.[0] ?? `${name} printed ${stdout}`
      const sent = await world.getOtp({ messageId })
      assert.deepEqual([sent['to'], sent['reference']], [to, body.reference], name)
    }
  }
})

test('no example sends the key along to the host of a redirect', async (t) => {
  const keys: unknown[] = []
  const other = createServer(({ headers }, response) => {
    keys.push(headers.authorization)
    response.end('{}')
  })
  const location = `http://${await listen(t, other)}`
  const first = createServer((_request, response) => response.writeHead(302, { location }).end('{}'))
  const url = `http://${await listen(t, first)}`
  const examples = requestExamples({ url, body: {}, apiKey: 'dck_aaaaaaaaaaaa_x' })
  for (const [name, { program, option, needs }] of Object.entries(PROGRAMS))
    if (works(needs)) await run(program, [option, examples[name as keyof typeof examples].replace('<?php', '')])
  assert.ok(keys.every((key) => key === undefined))
})

test('every example has the request’s URL, headers and texts', () => {
  const request = { url: 'https://doorcode.example/api/v1/otp/messages', body: { to: '+1', template: { name: 'n' } } }
  for (const [name, code] of Object.entries(requestExamples(request)))
    for (const part of [request.url, 'Authorization', 'Bearer', 'DOORCODE_API_KEY', 'Content-Type', '+1', 'template'])
      assert.ok(code.includes(part), `${name} lacks ${part}`)
})

test('a shell reads the request unchanged, whatever it contains', () => {
  const body = { to: "+2126 '$(id)'" }
  const call = { url: 'http://127.0.0.1:3000/api/v1/otp/messages', apiKey: 'dck_aaaaaaaaaaaa_x', body }
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlOf(call)}`
  const words = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd().split('\n')
  assert.deepEqual(words.slice(0, 4), [call.url, '-H', `Authorization: Bearer ${call.apiKey}`, '-H'])
  assert.deepEqual(JSON.parse(words.slice(words.indexOf('-d') + 1).join('')), body)
})

test('a text of several lines stays one text in PHP', () => {
  const body = { parameters: { body: ['a\nb\r\n$c'] } }
  const { PHP } = requestExamples({ url: 'https://doorcode.example', body })
  assert.ok(PHP.includes(`'a' . "\\n" . 'b' . "\\r" . '' . "\\n" . '$c',`), PHP)
})

test('the example in Python imports only what it uses', () => {
  for (const apiKey of ['dck_aaaaaaaaaaaa_x', undefined]) {
    const { Python } = requestExamples({ url: 'https://doorcode.example', body: {}, apiKey })
    for (const [, imported = ''] of Python.matchAll(/^import (.*)$/gm))
      assert.ok(Python.includes(`${imported}.`), imported)
  }
})
