import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/**
 * Layers from the top down. A file imports only from its room and lower layers, and so does its test; rooms on one line
 * may not import each other.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['cli'],
  ['commands'],
  ['demo'],
  ['main'],
  ['app'],
  ['backup'],
  ['start'],
  ['background'],
  ['admin'],
  ['doctor'],
  ['api'],
  ['verify'],
  ['explain', 'charts', 'sandbox', 'recipients'],
  ['retention'],
  ['cod', 'otp'],
  ['accept'],
  ['messages'],
  ['webhooks'],
  ['events'],
  ['accounts'],
  ['workspaces'],
  ['secrets'],
  ['parts'],
  ['providers'],
  ['http'],
  ['jobs'],
  ['log'],
  ['db'],
  ['files of src'],
]

/** Files of `src` without a room. */
const FILES = 'files of src'
const MAX_FILES_IN_FOLDER = 18

const rooms = LAYERS.flat()
const imports: { from: string; to: string }[] = []
const folders = new Set<string>()

before(async () => {
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    const folder = path.dirname(name)
    folders.add(folder)
    const text = await readFile(path.join(SOURCE, name), 'utf8')
    // Type imports and imports at run time count as well.
    for (const [, target = ''] of text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*['"](\.[^'"]+)['"]/g))
      imports.push({ from: name, to: path.normalize(path.join(folder, target)) })
  }
})

function roomOf(file: string): string {
  const [first = '', ...rest] = file.split('/')
  if (rest.length > 0) return first
  const name = first.replace(/(\.test)?\.ts$/, '')
  return rooms.includes(name) ? name : FILES
}

const layerOf = (room: string): number => LAYERS.findIndex((layer) => layer.includes(room))

test('every file imports only from its own room and from lower layers', () => {
  const upwards = imports.filter(({ from, to }) => {
    const [importing, imported] = [roomOf(from), roomOf(to)]
    return !to.startsWith('..') && importing !== imported && layerOf(imported) <= layerOf(importing)
  })
  assert.deepEqual(
    upwards.map(({ from, to }) => `${from} → ${to}`),
    [],
  )
})

test('every room has a layer', () => {
  const unknown = [...folders].map((folder) => folder.split('/')[0] ?? '').filter((room) => room !== '.')
  assert.deepEqual(
    [...new Set(unknown)].filter((room) => !rooms.includes(room)),
    [],
  )
})

test('only start/ imports providers/whatsapp; the rest uses the interface', async () => {
  const importing: string[] = []
  const cwd = path.join(SOURCE, '..')
  for await (const name of glob('{src,dashboard,bench}/**/*.{ts,tsx}', { cwd, exclude: ['**/node_modules/**'] })) {
    if (/^src\/(?:start|providers\/whatsapp)\//.test(name)) continue
    // Tests run the real provider against the emulator.
    if (name.endsWith('.test.ts')) continue
    // The benchmark connects its accounts without a server.
    if (name === 'bench/shop.ts') continue
    const text = await readFile(path.join(cwd, name), 'utf8')
    if (/(?:\bfrom|\bimport\(|\bimport)\s*['"][^'"]*(?:providers|\.)\/whatsapp\//.test(text)) importing.push(name)
  }
  assert.deepEqual(importing, [])
})

test('locales imports nothing from src', async () => {
  for await (const name of glob('*.ts', { cwd: path.join(SOURCE, '../locales') })) {
    const text = await readFile(path.join(SOURCE, '../locales', name), 'utf8')
    assert.doesNotMatch(text, /['"]\.\.\//, name)
  }
})

test('nothing in src imports tests', () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => !from.endsWith('.test.ts') && to.startsWith('../test/')),
    [],
  )
})

test('only the tests in test/browser open a page', async () => {
  const opening: string[] = []
  const cwd = path.join(SOURCE, '..')
  const exclude = ['**/node_modules/**', 'test/browser/**', 'test/run.ts']
  for await (const name of glob(['{src,locales,test,packages,dashboard}/**/*.ts', 'bench/**/*.test.ts'], {
    cwd,
    exclude,
  }))
    if (/\/browser\.ts'/.test(await readFile(path.join(cwd, name), 'utf8'))) opening.push(name)
  assert.deepEqual(opening, [])
})

test(`no folder of sources has more than ${MAX_FILES_IN_FOLDER} files`, async () => {
  const filesIn = new Map<string, number>()
  for await (const name of glob('{src,dashboard,packages}/*/**/*.{ts,tsx}', { cwd: path.join(SOURCE, '..') })) {
    if (/\.test\.tsx?$|\/(?:test|dist|node_modules)\//.test(name)) continue
    const folder = path.dirname(name)
    filesIn.set(folder, (filesIn.get(folder) ?? 0) + 1)
  }
  const large = [...filesIn].filter(([, count]) => count > MAX_FILES_IN_FOLDER)
  assert.deepEqual(large, [])
})
