import react from '@vitejs/plugin-react'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type Plugin, defineConfig } from 'vite'

const LOCALES = path.resolve(import.meta.dirname, '../locales')

/** The files of a language that the first load can show: those of its pages, and those in the server's responses to them. */
const FIRST = new Set([
  'page_charts',
  'page_list',
  'page_overview',
  'page_session',
  'page_shell',
  'admin',
  'events',
  'http',
  'messages',
  'recipients',
  'sandbox',
  'statuses',
  'webhooks',
  'words',
  'workspaces',
])
/** Texts that only the server or the emulator's own page shows. */
const NOT_SHOWN = new Set(['page_emulator', 'page_problems', 'page_site', 'server_pages'])

/** `texts:fr/first` and `texts:fr/later`: all files of French in two modules. */
const texts: Plugin = {
  name: 'texts',
  resolveId: (id) => (id.startsWith('texts:') ? `\0${id}` : undefined),
  load(id) {
    const [, language = '', part] = /^\0texts:(\w+)\/(\w+)$/.exec(id) ?? []
    if (part === undefined) return undefined
    const names = readdirSync(path.join(LOCALES, language))
      .map((file) => path.basename(file, '.json'))
      .filter((name) => !NOT_SHOWN.has(name) && FIRST.has(name) === (part === 'first'))
    const imports = names.map((name) => `import ${name}_json from '${path.join(LOCALES, language, name)}.json'`)
    return [...imports, `export const resources = { ${names.map((name) => `${name}: ${name}_json`).join(', ')} }`].join(
      '\n',
    )
  },
}

/** Built and served under /dashboard/ by src/admin/pages/pages.ts, which names the folder of the build. */
export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), texts],
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 1_000 },
  // `npm run dashboard`: the pages from here, their calls to a Doorcode that runs separately.
  server: {
    proxy: Object.fromEntries(
      ['auth', 'calls', 'live', 'emulator'].map((part) => [`/dashboard/${part}`, 'http://127.0.0.1:3000']),
    ),
  },
})
