import path from 'node:path'
import { type Pages as PageSources, builtPages } from '@doorcode/whatsapp-emulator/pages/built-pages.ts'
import { servePages } from '@doorcode/whatsapp-emulator/pages/serve-pages.ts'
import type { FastifyInstance } from 'fastify'
import { SECOND_MS } from '../../lib/clock.ts'
import { PAGE_HEADERS as TEXT_PAGE_HEADERS } from '../../lib/http/html.ts'
import type { Log } from '../../lib/log.ts'
import { BUILD_FAILED, unbuiltPage } from './unbuilt-page.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')

export const dashboardPages: PageSources = {
  from: path.join(ROOT, 'dashboard'),
  root: ROOT,
  sources: [
    'dashboard/**/*.{ts,tsx,css,html,svg}',
    'packages/whatsapp-emulator/{phone,src/wire}/**/*.{ts,tsx,css,html,svg}',
    'packages/whatsapp-emulator/src/messages/presets.ts',
    'src/admin/audit/actions.ts',
    'src/cod/settings/{member,settings-changes}.ts',
    'src/accounts/templates/{draft,languages}.ts',
    'src/api/docs/try.ts',
    'src/workspaces/clock-moves.ts',
    'src/providers/{failure-codes,template-text}.ts',
    'src/operations/doctor/finding.ts',
    'src/events/event-types.ts',
    'src/lib/{bounded-map,clock,ids,throttle}.ts',
    'src/lib/lists/min-part-characters.ts',
    'src/lib/phone/erased-recipient.ts',
    'locales/**/*.{ts,json}',
    'package-lock.json',
  ],
  keptIn: path.join(ROOT, 'dashboard/dist'),
}

export const builtDashboard = (): Promise<string> => builtPages(dashboardPages)

/** Mantine needs inline styles; scripts may come only from this server. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** A build takes seconds of CPU, and anyone can request the pages. */
const REBUILD_DELAY_MS = 10 * SECOND_MS

export type PagesOptions = {
  log: Log
  /** For tests. */
  build?: () => Promise<string>
}

/** Returns the folder with the built pages. */
export type Pages = () => Promise<string>

/** Builds the pages at the first call. After a failure it waits before the next build. */
export function createPages({ log, build = builtDashboard }: PagesOptions): Pages {
  let built: Promise<string> | undefined
  const reset = (): void => void (built = undefined)
  return () =>
    (built ??= build().catch((error: unknown) => {
      log.error({ err: error }, BUILD_FAILED)
      setTimeout(reset, REBUILD_DELAY_MS).unref()
      throw error
    }))
}

/** Every path outside `assets/` serves the single page, which has its own router. */
export const serveDashboardPages = (scope: FastifyInstance, folder: Pages): void =>
  servePages(scope, {
    at: '/dashboard',
    headers: PAGE_HEADERS,
    folder,
    sendFault: (error, reply) => reply.code(503).headers(TEXT_PAGE_HEADERS).send(unbuiltPage(error)),
    fileOf: (name) => (name.startsWith('assets/') ? name : 'index.html'),
  })
