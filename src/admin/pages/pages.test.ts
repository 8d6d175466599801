import assert from 'node:assert/strict'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { sourcesOf } from '@doorcode/whatsapp-emulator/pages/built-pages.ts'
import { readResources } from '../../../locales/resources.ts'
import { LANGUAGES } from '../../../locales/text.ts'
import { dashboardPages, serveDashboardPages } from './pages.ts'
import { temporaryFolder } from '../../../test/world/temporary-folder.ts'

const EMULATOR = '@doorcode/whatsapp-emulator/'

/** The imports that a bundler follows, so without type imports. */
const IMPORTED =
  /^(?:import|export) (?!type\b)[^'";]*'((?:\.|@doorcode\/)[^']+)'|\bimport\('((?:\.|@doorcode\/)[^']+)'\)/gm

/** The files of this repository that are bundled with this entry point. */
async function bundledFrom(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found
  found.add(file)
  if (!/\.tsx?$/.test(file)) return found
  const text = await readFile(path.join(dashboardPages.root, file), 'utf8')
  for (const [, always, lazily] of text.matchAll(IMPORTED)) {
    const imported = always ?? lazily ?? ''
    const isOfEmulator = imported.startsWith(EMULATOR)
    const target = isOfEmulator
      ? path.relative(dashboardPages.root, await realpath(fileURLToPath(import.meta.resolve(imported))))
      : path.join(path.dirname(file), imported)
    await bundledFrom(target, found)
  }
  return found
}

test('a change of any bundled file or text causes a new build', async () => {
  const bundled = await bundledFrom('dashboard/main.tsx')
  assert.ok(bundled.size > 100, 'finds the pages')
  const sources = new Set(await sourcesOf(dashboardPages))
  const texts = LANGUAGES.flatMap((language) =>
    Object.keys(readResources(language)).map((name) => `locales/${language}/${name}.json`),
  )
  assert.deepEqual(
    [...bundled, ...texts].filter((file) => !sources.has(file)),
    [],
  )
})

const SCRIPT = 'console.log(1)'

test('only hashed files are cached, for a year, and no other file is served', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(path.join(folder, 'assets'))
  await writeFile(path.join(folder, 'index.html'), '<p>the page</p>')
  await writeFile(path.join(folder, 'assets/a-1.js'), SCRIPT)
  await writeFile(path.join(folder, 'assets/a-1.js.gz'), gzipSync(SCRIPT))
  const server = Fastify({ exposeHeadRoutes: false })
  serveDashboardPages(server, () => Promise.resolve(folder))
  t.after(() => server.close())
  const get = (url: string, headers = {}) => server.inject({ url, headers })

  for (const url of ['/dashboard/', '/dashboard/w/1/messages', '/dashboard/..%2f..%2fpackage.json']) {
    const { headers, body } = await get(url)
    assert.equal(body, '<p>the page</p>', url)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.match(String(headers['content-security-policy']), /^default-src 'self'; script-src 'self'; /)
  }
  const plain = await get('/dashboard/assets/a-1.js')
  assert.deepEqual([plain.body, plain.headers['content-type']], [SCRIPT, 'application/javascript; charset=utf-8'])
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  const shrunk = await get('/dashboard/assets/a-1.js', { 'accept-encoding': 'gzip, br' })
  assert.deepEqual([shrunk.headers['content-encoding'], shrunk.headers['vary']], ['gzip', 'accept-encoding'])
  assert.equal(gunzipSync(shrunk.rawPayload).toString(), SCRIPT)
  assert.equal(shrunk.headers['content-type'], 'application/javascript; charset=utf-8')
  for (const url of [
    'assets/none.js',
    'assets',
    'assets/',
    'assets/..%2findex.html',
    'assets/..%2f..%2fpackage.json',
  ]) {
    const { statusCode, headers } = await get(`/dashboard/${url}`)
    if (url === 'assets')
      assert.equal(statusCode, 200) // a path of the single page
    else assert.ok(statusCode >= 400 && statusCode < 500, `${url}: ${statusCode}`)
    assert.doesNotMatch(String(headers['cache-control']), /immutable/)
  }
})
