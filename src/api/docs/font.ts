import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { FONT_PATH } from '../../lib/http/html.ts'

const FILE = '@fontsource-variable/vazirmatn/files/vazirmatn-latin-wght-normal.woff2'

/** The dashboard's font, for the pages outside it. Read when first requested. */
export function serveFont(app: FastifyInstance): void {
  let font: Buffer | undefined
  app.get(FONT_PATH, async (_request, reply) => {
    font ??= await readFile(fileURLToPath(import.meta.resolve(FILE)))
    return reply.type('font/woff2').header('cache-control', 'public, max-age=86400').send(font)
  })
}
