import assert from 'node:assert/strict'
import { glob, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { dashboardPages } from '../../src/admin/pages/pages.ts'
import { LAYERS, roomOf, rooms } from '../world/rooms.ts'

const MAX_FILES_IN_FOLDER = 18
/** So that a reader can keep the listing of `src` in mind. */
const MAX_ENTRIES_OF_SRC = 20

/** The trees whose imports are checked. `bench`, `docs`, `test` and `tools` may import everything. */
const TREES = ['src', 'locales', 'dashboard', 'packages/whatsapp-emulator', 'packages/client'] as const
const EMULATOR = '@doorcode/whatsapp-emulator'

/** Every import that leaves its tree: which files (globs) may import what, and why. */
const ALLOWED_OUTSIDE: readonly { from: string; to: string; why: string }[] = [
  { from: 'src/**', to: 'locales/*.ts', why: 'locales is below every room' },
  { from: 'src/**', to: 'package.json', why: 'the version of Doorcode' },
  { from: 'src/commands/demo/**', to: EMULATOR, why: '`npm start` starts the emulator' },
  {
    from: 'src/admin/pages/*',
    to: `${EMULATOR}/pages/*`,
    why: 'the emulator builds and serves its page with the same code',
  },
  {
    from: 'src/admin/phone/*',
    to: `${EMULATOR}/wire/*`,
    why: 'the server of the dashboard’s phone passes on what the emulator answers',
  },
  { from: 'src/**/*.test.ts', to: EMULATOR, why: 'tests send to the emulator' },
  { from: 'src/**/*.test.ts', to: 'test/**', why: 'what tests share' },
  { from: 'dashboard/**', to: 'locales/*.ts', why: 'the texts of pages' },
  ...dashboardPages.sources
    .filter((source) => source.startsWith('src/'))
    .map((to) => ({ from: 'dashboard/**', to, why: 'rules that both apply, which the pages load' })),
  {
    from: 'dashboard/**',
    to: 'src/{admin/{router,export/lists},cod/{conversation/confirmation,settings/settings},explain/{entry,next-action},lib/errors,providers/{failure-codes,template-draft}}.ts',
    why: 'types of what the server answers',
  },
  { from: 'dashboard/**/*.test.ts', to: 'src/**', why: 'tests compare pages with what the server does' },
  { from: 'dashboard/**', to: `${EMULATOR}/{phone,wire}/*`, why: 'the dashboard shows the phone of the emulator' },
  { from: 'dashboard/**/*.test.ts', to: 'test/**', why: 'what tests share' },
  {
    from: 'packages/whatsapp-emulator/phone/**',
    to: 'locales/{text,typed-digits}.ts',
    why: 'the phone speaks the language of the page that shows it, and reads the digits of its keyboard',
  },
  { from: 'packages/whatsapp-emulator/**/*.test.ts', to: 'test/**', why: 'what tests share' },
  { from: 'packages/client/**/*.test.ts', to: 'test/**', why: 'what tests share' },
  { from: 'packages/client/**/*.test.ts', to: 'docs/api-document.ts', why: 'a test compares it with the methods' },
  { from: 'packages/client/**/*.test.ts', to: 'src/**', why: 'tests verify what the server sends' },
]

type Import = { from: string; to: string }

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Paths are from the root; an import of a package of ours keeps its name. */
const imports: Import[] = []
let inSrc: Import[] = []
/** Of src. */
const files = new Set<string>()

before(async () => {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/built/**']
  for await (const name of glob(`{${TREES.join(',')}}/**/*.{ts,tsx}`, { cwd: ROOT, exclude })) {
    const folder = path.dirname(name)
    if (name.startsWith('src/')) files.add(path.relative('src', name))
    const text = await readFile(path.join(ROOT, name), 'utf8')
    // Type imports and imports at run time count as well.
    for (const [, target = ''] of text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*['"]((?:\.|@doorcode\/)[^'"]+)['"]/g))
      imports.push({ from: name, to: target.startsWith('.') ? path.normalize(path.join(folder, target)) : target })
  }
  inSrc = imports
    .filter(({ from, to }) => from.startsWith('src/') && to.startsWith('src/'))
    .map(({ from, to }) => ({ from: path.relative('src', from), to: path.relative('src', to) }))
})

const layerOf = (room: string): number => LAYERS.findIndex((layer) => layer.includes(room))
const written = (all: readonly Import[]): string[] => all.map(({ from, to }) => `${from} → ${to}`)

test('every file imports only from its own room and from lower layers', () => {
  const upwards = inSrc.filter(({ from, to }) => {
    const [importing, imported] = [roomOf(from), roomOf(to)]
    return importing !== imported && layerOf(imported) <= layerOf(importing)
  })
  assert.deepEqual(written(upwards), [])
})

test('every room has a layer, and every layer a room', () => {
  const found = new Set([...files].map(roomOf))
  assert.deepEqual([...found].sort(), rooms.toSorted())
})

test(`src has at most ${MAX_ENTRIES_OF_SRC} entries`, async () => {
  const entries = await readdir(path.join(ROOT, 'src'))
  assert.ok(entries.length <= MAX_ENTRIES_OF_SRC, entries.join(' '))
})

/** Erasing and exporting read whose data a stored report is: that needs no account and no connection. */
const READS_STORED_REPORTS = 'src/operations/lifecycle/recipients/person.ts'

test('only runtime/start imports providers/whatsapp; the rest uses the interface', () => {
  const outside = imports.filter(
    ({ from, to }) =>
      to.startsWith('src/providers/whatsapp/') && !/^src\/(runtime\/start|providers\/whatsapp)\//.test(from),
  )
  // Tests run the real provider against the emulator.
  const importing = outside.filter(({ from }) => !from.endsWith('.test.ts') && from !== READS_STORED_REPORTS)
  assert.deepEqual(written(importing), [])
})

const isInTree = (file: string, tree: string): boolean => file.startsWith(`${tree}/`)
const fits = ({ from, to }: Import, row: Import): boolean =>
  path.matchesGlob(from, row.from) && path.matchesGlob(to, row.to)

const leavingTree = (): Import[] =>
  imports.filter(({ from, to }) => !TREES.some((tree) => isInTree(from, tree) && isInTree(to, tree)))

test('src, locales, the dashboard and the packages import from each other only what is allowed here', () => {
  const forbidden = leavingTree().filter((each) => !ALLOWED_OUTSIDE.some((row) => fits(each, row)))
  assert.deepEqual(written(forbidden), [])
})

test('every import that is allowed here exists', () => {
  const leaving = leavingTree()
  const unused = ALLOWED_OUTSIDE.filter((row) => !leaving.some((each) => fits(each, row)))
  assert.deepEqual(written(unused), [])
})

function circlesIn(some: readonly Import[]): string[] {
  const targets = Map.groupBy(some, ({ from }) => from)
  const [visited, trail, circles] = [new Set<string>(), [] as string[], [] as string[]]
  const visit = (file: string): void => {
    const start = trail.indexOf(file)
    if (start !== -1) circles.push([...trail.slice(start), file].join(' → '))
    if (visited.has(file)) return
    visited.add(file)
    trail.push(file)
    for (const { to } of targets.get(file) ?? []) visit(to)
    trail.pop()
  }
  for (const file of targets.keys()) visit(file)
  return circles
}

test('no files import each other in a circle', () => {
  assert.deepEqual(circlesIn(imports), [])
})

/** Returns undefined for what all folders use, such as `dashboard/api.ts`. */
const dashboardFolderOf = (file: string): string | undefined => /^dashboard\/([^/]+)\//.exec(file)?.[1]

test('dashboard/ui imports no folder of a page, and no folders of the dashboard import each other in a circle', () => {
  const between = imports.flatMap((each) => {
    const [from, to] = [dashboardFolderOf(each.from), dashboardFolderOf(each.to)]
    return from !== undefined && to !== undefined && from !== to ? [{ from, to }] : []
  })
  assert.ok(between.length > 20, 'finds the folders')
  const ofUi = new Set(between.filter(({ from }) => from === 'ui').map(({ to }) => to))
  assert.deepEqual([...ofUi], ['texts'])
  assert.deepEqual(circlesIn(between), [])
})

test('only the tests in test/browser open a page', async () => {
  const opening: string[] = []
  const exclude = ['**/node_modules/**', 'test/browser/**', 'test/run.ts']
  for await (const name of glob(['{src,locales,test,packages,dashboard}/**/*.ts', 'bench/**/*.test.ts'], {
    cwd: ROOT,
    exclude,
  }))
    if (/\/browser\.ts'/.test(await readFile(path.join(ROOT, name), 'utf8'))) opening.push(name)
  assert.deepEqual(opening, [])
})

test(`no folder of sources has more than ${MAX_FILES_IN_FOLDER} files`, async () => {
  const filesIn = new Map<string, number>()
  for await (const name of glob('{src,dashboard,packages}/*/**/*.{ts,tsx}', { cwd: ROOT })) {
    if (/\.test\.tsx?$|\/(?:test|dist|node_modules)\//.test(name)) continue
    const folder = path.dirname(name)
    filesIn.set(folder, (filesIn.get(folder) ?? 0) + 1)
  }
  const large = [...filesIn].filter(([, count]) => count > MAX_FILES_IN_FOLDER)
  assert.deepEqual(large, [])
})
