import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { builtPages } from '@doorcode/whatsapp-emulator/pages/built-pages.ts'
import { createLog } from '../../lib/log.ts'
import { createPages, serveDashboardPages } from './pages.ts'
import { unbuiltPage } from './unbuilt-page.ts'

/** A server whose build fails, because its folder has no pages. */
async function startWithoutPages(t: TestContext) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-unbuilt-'))
  await writeFile(path.join(folder, 'vite.config.ts'), 'export default {}\n')
  const server = Fastify()
  let builds = 0
  const build = () => {
    builds += 1
    return builtPages({ from: folder, root: folder, sources: ['*.ts'], keptIn: path.join(folder, 'dist') })
  }
  serveDashboardPages(server, createPages({ log: createLog('silent'), build }))
  t.after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })
  const get = async (name: string) => {
    const { statusCode, headers, body } = await server.inject(`/dashboard/${name}`)
    return { status: statusCode, type: headers['content-type'], body }
  }
  return { get, folder, builds: () => builds }
}

test('a failed build is explained in each language without details of the server', async (t) => {
  const { get, folder } = await startWithoutPages(t)
  const { status, type, body } = await get('')
  assert.deepEqual([status, type], [503, 'text/html; charset=utf-8'])
  assert.match(body, /lang="en" dir="ltr"[\s\S]*could not be built[\s\S]*The server’s log/)
  assert.match(body, /lang="ar" dir="rtl"[\s\S]*تعذّر بناء[\s\S]*سجل الخادم/)
  for (const inside of [folder, 'vite', 'index.html', '    at ', 'Error:']) assert.ok(!body.includes(inside), inside)
})

test('the next request does not start a failed build again', async (t) => {
  const { get, builds } = await startWithoutPages(t)
  const answers = [await get(''), await get('w/anything'), await get('assets/index.js')]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  )
  assert.equal(builds(), 1)
})

test('a known cause is shown with its fix', () => {
  const fault = (message: string, code?: string) => unbuiltPage(Object.assign(new Error(message), code && { code }))
  assert.match(fault('write failed', 'ENOSPC'), /disk is full[\s\S]*قرص الخادم ممتلئ/)
  assert.match(fault(`EACCES: permission denied, mkdtemp '/srv/x'`), /<code>dashboard\/dist<\/code>/)
  assert.match(fault(`Cannot find package 'react' imported from x`), /<code>npm ci<\/code>/)
  assert.match(fault('x is not a function'), /The build failed/)
})
