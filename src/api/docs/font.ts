import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { FONT_PATHS } from '../../lib/http/html.ts'

const fileOf = (letters: string): string =>
  fileURLToPath(import.meta.resolve(`@fontsource-variable/vazirmatn/files/vazirmatn-${letters}-wght-normal.woff2`))

/** The dashboard's font, for the pages outside it. Read when first requested. */
export function serveFont(app: FastifyInstance): void {
  for (const [letters, path] of Object.entries(FONT_PATHS)) {
    let font: Buffer | undefined
    app.get(path, async (_request, reply) => {
      font ??= await readFile(fileOf(letters))
      return reply.type('font/woff2').header('cache-control', 'public, max-age=86400').send(font)
    })
  }
}
