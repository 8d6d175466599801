import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const SOURCE = path.resolve(import.meta.dirname, '../src')

/** Rooms and files, those on top first. Types count as well. */
const LAYERS = [
  ['index.ts', 'main.ts', 'start.ts', 'configuration.ts', 'snapshot.ts'],
  ['control/'],
  ['graph/', 'inbound/'],
  ['parts.ts'],
  ['messages/'],
  ['webhooks/'],
  ['accounts/'],
  ['time/'],
  ['store/', 'pages/', 'wire/'],
  ['errors.ts', 'reading.ts', 'limits.ts', 'listeners.ts'],
] as const

const MAX_FILES = 16

async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(path.join(SOURCE, file), 'utf8')
  const imported = Array.from(text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g), ([, name = '']) => name)
  return imported.map((name) => path.join(path.dirname(file), name))
}

const files = (await Array.fromAsync(glob('**/*.ts', { cwd: SOURCE }))).sort()
const imports = new Map(await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)))

const layerOf = (file: string): number =>
  LAYERS.findIndex((rooms) => rooms.some((room) => (room.endsWith('/') ? file.startsWith(room) : file === room)))
const roomOf = (file: string): string => (file.includes('/') ? path.dirname(file) : file)

test('a folder imports only from folders below it', () => {
  assert.deepEqual(
    files.filter((file) => layerOf(file) < 0),
    [],
    'each file is of a layer',
  )
  const wrong = [...imports].flatMap(([file, imported]) =>
    imported
      .filter((other) => roomOf(other) !== roomOf(file))
      .filter((other) => layerOf(other) < layerOf(file) || (file.includes('/') && layerOf(other) === layerOf(file)))
      .map((other) => `${file} → ${other}`),
  )
  assert.deepEqual(wrong, [])
})

test('no folder has more than 16 files', () => {
  const sizes = Map.groupBy(files, roomOf)
  for (const [room, within] of sizes) assert.ok(within.length <= MAX_FILES, `${room} has ${within.length} files`)
})
