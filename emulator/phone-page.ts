import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, glob, mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'

const FOLDER = path.join(import.meta.dirname, 'phone')
const BUILT = path.join(FOLDER, 'dist')
const BUILD_MOST_MS = 120_000

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

type File = { type: string; bytes: Buffer }

/** `GET /phone`: the phones as a page. It is built when somebody asks for it first, and after a change of its sources. */
export function phonePage(server: FastifyInstance): void {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  const send = async (name: string, reply: FastifyReply): Promise<FastifyReply> => {
    files ??= builtPage().then(readAll)
    const all = await files.catch((fault: unknown) => {
      files = undefined // the next request tries again
      return fault instanceof Error ? fault : new Error(String(fault))
    })
    if (all instanceof Error) return plain(reply, 500, `The phone’s page could not be built: ${all.message}`)
    const file = all.get(name)
    if (file === undefined) return plain(reply, 404, 'there is no such file')
    const lasts = name.startsWith('assets/')
    reply.headers(HEADERS).header('cache-control', lasts ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.type(file.type).send(file.bytes)
  }
  server.get('/phone', (_request, reply) => reply.redirect('/phone/', 302))
  server.get<{ Params: { '*': string } }>('/phone/*', (request, reply) =>
    send(request.params['*'] || 'index.html', reply),
  )
}

const plain = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(text)

/** The folder with the page; a temporary one where the twin's own cannot be written to. */
async function builtPage(): Promise<string> {
  const kept = path.join(BUILT, await stampOfSources())
  if (await exists(path.join(kept, 'index.html'))) return kept
  const target = await mkdir(BUILT, { recursive: true })
    .then(() => mkdtemp(path.join(BUILT, 'building-')))
    .catch(() => mkdtemp(path.join(tmpdir(), 'whatsapp-twin-phone-')))
  await build(target)
  if (!target.startsWith(BUILT)) return target
  // Whoever built it first wins; the others use theirs.
  await rename(target, kept).catch(() => rm(target, { recursive: true, force: true }))
  return kept
}

async function stampOfSources(): Promise<string> {
  const sources = glob('**/*.{ts,tsx,css,html,svg}', { cwd: FOLDER, exclude: (name) => name === 'dist' })
  const hash = createHash('sha256')
  for (const name of (await Array.fromAsync(sources)).sort()) {
    hash.update(name).update(await readFile(path.join(FOLDER, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** In a process of its own: what a bundler takes of memory goes with it. */
async function build(target: string): Promise<void> {
  const packageFolder = path.dirname(import.meta.resolve('vite/package.json').replace('file://', ''))
  const vite = path.join(packageFolder, 'bin/vite.js')
  const arguments_ = ['build', '--logLevel', 'error', '--emptyOutDir', '--outDir', target]
  const builder = spawn(process.execPath, [vite, ...arguments_], {
    cwd: path.join(FOLDER, 'page'),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_MOST_MS,
  })
  let output = ''
  builder.stdout.on('data', (text: Buffer) => (output += text.toString()))
  builder.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const [code] = (await once(builder, 'exit')) as [number | null]
  if (code !== 0) throw new Error(output.trim())
}

async function readAll(folder: string): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const type = TYPES[path.extname(file)]
    if (type) files.set(path.relative(folder, file), { type, bytes: await readFile(file) })
  }
  return files
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
